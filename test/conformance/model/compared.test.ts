// @module-tag long

import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type CheckServiceOptions,
  checkService,
  movingClock,
  type ServiceResult,
} from '../../../src/conformance/index.ts';
import { allowanceBreaches } from '../../../src/conformance/model/allowances.ts';
import { askedIn } from '../../../src/conformance/model/asked.ts';
import { tokenBreaches } from '../../../src/conformance/model/tokens.ts';
import type { PartnerUse } from '../../../src/interface/index.ts';
import { describeProfile, FAULTS, type FaultId, startServer } from '../../../src/server/index.ts';
import { FORMS_BY_SUBJECT } from '../../independent-service/forms/all.ts';
import { judgeControlled, RUN } from '../../independent-service/judge.ts';
import { ODD_STYLES, styleWith } from '../../independent-service/odd-styles.ts';
import table from './compared.json' with { type: 'json' };

/** Findings over the logs of all faults, forms and styles, by kind of target. */
const compared: Readonly<Record<string, Row>> = table;

interface Row {
  /** Number of logs, and of those in which the checks, and the models, found the rule broken. */
  readonly logs: number;
  readonly byChecks: number;
  readonly byModels: number;
  /** Logs that differ, by the name of the form. */
  readonly onlyByChecks: readonly string[];
  /** Those where the models need the refused request once more, after a minute. */
  readonly afterARest: readonly string[];
  readonly onlyByModels: readonly string[];
  /** Other rules that the models found broken, and the checks did not. */
  readonly accusedByModels: readonly string[];
}

/** `all`, or the number of a part: 0 to 39. */
const { FAREPROOF_FORMS: part = '0' } = process.env;
const PARTS = 40;

const isChosen = (name: string): boolean =>
  part === 'all' || Number.parseInt(hash('md5', name).slice(0, 8), 16) % PARTS === Number(part);

/** Rules on allowances and on the life of tokens; a pure judge finds what breaks the one left out. */
const isModelled = (id: string): boolean =>
  (id.startsWith('quota/') || id.startsWith('lifecycle/')) &&
  !id.startsWith('lifecycle/refresh-rotates');

const AREAS = ['quota/*', 'lifecycle/*'];

const areaOf = (form: string): string[] => [form.startsWith('quota/') ? 'quota/*' : 'lifecycle/*'];

const USES: readonly PartnerUse[] = [
  'general',
  'general',
  'general',
  'general',
  'general',
  'spendable',
  'witness',
  'long-lock',
];

const PARTNERS = USES.map((use, at) => ({
  id: `metered-${at}`,
  signingKey: `signing-key-of-metered-${at}`,
  use,
  authCodes: Array.from({ length: 6 }, (_, code) => `metered-${at}-code-${code}`),
}));

async function judgeReference(fault: FaultId, isMetered: boolean): Promise<ServiceResult> {
  const clock = movingClock();
  const server = await startServer({
    environment: 'production',
    faults: [fault],
    version: '0',
    ...(isMetered ? { partners: PARTNERS, clock } : { controlPort: 0 }),
  });
  const metered: Partial<CheckServiceOptions> = { allowBan: isMetered, waits: isMetered };
  try {
    const target = describeProfile(server);
    const only = areaOf(fault);
    return await checkService({
      ...RUN,
      ...metered,
      seed: 1,
      clock,
      target,
      only,
      probesGaps: false,
    });
  } finally {
    await server.close();
  }
}

const judgeSecond = (
  style: Parameters<typeof judgeControlled>[0],
  broken: readonly string[],
  only: readonly string[],
): Promise<ServiceResult> =>
  judgeControlled(style, broken, { only, probesGaps: false, companion: undefined });

/** Rules that the checks of a run, and the models over its log, found broken. */
function brokenIn({ rules, exchanges, target }: ServiceResult): {
  readonly byChecks: readonly string[];
  readonly byModels: readonly string[];
} {
  const log = askedIn(exchanges, target.baseUrl);
  const breaches = [...allowanceBreaches(log), ...tokenBreaches(log)];
  const lasting = breaches.filter(({ isLasting }) => isLasting).map(({ rule }) => rule);
  return {
    byChecks: rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id),
    byModels: [...new Set(lasting)],
  };
}

/** Expects of the models what the table says of them. */
function expectAsCompared(kind: string, form: string, result: ServiceResult): void {
  const { byChecks, byModels } = brokenIn(result);
  const rule = form.replace(/#.*/, '');
  const row = compared[kind]!;
  const isDifferent = [...row.afterARest, ...row.onlyByChecks].includes(form);
  const isFound = row.onlyByModels.includes(form) || (byChecks.includes(rule) && !isDifferent);
  expect(byModels.includes(rule)).toBe(isFound);
  const accused = byModels.filter((one) => one !== rule && !byChecks.includes(one));
  expect(accused.map((one) => `${form}: ${one}`)).toEqual(
    row.accusedByModels.filter((one) => one.startsWith(`${form}: `)),
  );
}

const faults = FAULTS.map(({ id }) => id).filter((id) => isModelled(id) && isChosen(id));
const forms = Object.values(FORMS_BY_SUBJECT)
  .flatMap((some) => Object.keys(some))
  .filter((form) => isModelled(form) && !form.endsWith('one-in-five') && isChosen(form));
const styles = ODD_STYLES.filter(({ name }) => isChosen(name));

describe('the models, over the log of a run', { timeout: 120_000 }, () => {
  it.each(faults)('find %s as the checks do', async (fault) => {
    expectAsCompared('reference server, control API', fault, await judgeReference(fault, false));
    expectAsCompared('reference server, metered', fault, await judgeReference(fault, true));
  });

  it.each(forms)('find %s of the second service as the checks do', async (form) => {
    const plain = { ...styleWith([]), name: 'plain' };
    const result = await judgeSecond(plain, [form], areaOf(form));
    expectAsCompared('second service, control API', form, result);
  });

  it.each(styles)('do not accuse a service that $name', async (style) => {
    expect(brokenIn(await judgeSecond(style, [], AREAS)).byModels).toEqual([]);
  });
});
