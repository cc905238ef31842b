import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkService,
  FULL_SUITE,
  movingClock,
  rulesBehind,
  type ServiceResult,
} from '../../../../src/conformance/index.ts';
import { PART_REQUESTS } from '../../../../src/conformance/service/budget/parts-within.ts';
import type { CheckServiceOptions } from '../../../../src/conformance/service/options.ts';
import {
  describeProfile,
  FAULTS,
  type FaultId,
  startServer,
} from '../../../../src/server/index.ts';
import { FORMS_BY_SUBJECT } from '../../../independent-service/forms/all.ts';
import { judgeControlled } from '../../../independent-service/judge.ts';
import { styleWith } from '../../../independent-service/odd-styles.ts';

/**
 * `K/N` measures one of N shares of the forms; `write` makes the table of what all shares measured. After a
 * change of checks or forms:
 *
 *   export FAREPROOF_PARTS_FOLDER=/tmp FILE=test/conformance/service/budget/part-requests.test.ts
 *   FAREPROOF_PARTS=0/2 npx vitest run $FILE & FAREPROOF_PARTS=1/2 npx vitest run $FILE; wait
 *   FAREPROOF_PARTS=write FAREPROOF_PARTS_FILES=/tmp/0-2.jsonl,/tmp/1-2.jsonl npx vitest run $FILE
 */
const { FAREPROOF_PARTS: share = '', FAREPROOF_PARTS_FOLDER: folder = '' } = process.env;

const FILE = 'data/part-requests.json';

/** Measurement of one run: the parts that found a form, or all parts and their requests. */
interface Measured {
  readonly form: string | null;
  readonly requests: Readonly<Record<string, number>>;
  readonly foundBy: readonly string[];
}

type Told = Pick<CheckServiceOptions, 'onRule' | 'only' | 'requests' | 'probesGaps'>;

async function judgeReference(fault: FaultId | null, told: Told): Promise<ServiceResult> {
  const clock = movingClock();
  const servers = await Promise.all(
    (['production', 'test'] as const).map((environment) =>
      startServer({ environment, faults: fault ? [fault] : [], version: '0', controlPort: 0 }),
    ),
  );
  const [target, companion] = servers.map(describeProfile);
  try {
    return await checkService({
      target: target!,
      companion,
      suite: FULL_SUITE,
      ledger: 'none',
      seed: 1,
      timeoutMs: 10_000,
      maxRate: null,
      requireComplete: false,
      allowBan: false,
      clock,
      ...told,
    });
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

/** Requests of each part: its own, and its share of the baselines of its batches. */
function requestsOf({ exchanges }: Pick<ServiceResult, 'exchanges'>): Record<string, number> {
  const own = new Map<string, number>();
  const batches = new Map<string, { around: number; within: number; checks: Set<string> }>();
  for (const { part } of exchanges) {
    const batch = batches.get(part?.batch?.id ?? '') ?? { around: 0, within: 0, checks: new Set() };
    batches.set(part?.batch?.id ?? '', batch);
    if (part?.check === undefined) batch.around++;
    else {
      batch.within++;
      batch.checks.add(part.check);
      own.set(part.check, (own.get(part.check) ?? 0) + 1);
    }
  }
  const requests = new Map(own);
  for (const { around, within, checks } of batches.values())
    for (const check of checks) {
      const more = (around * (own.get(check) ?? 0)) / within;
      requests.set(check, (requests.get(check) ?? 0) + more);
    }
  return Object.fromEntries([...requests].map(([id, count]) => [id, Math.round(count * 10) / 10]));
}

async function measure(
  form: string | null,
  judge: (told: Told) => Promise<ServiceResult>,
): Promise<void> {
  const foundBy = new Set<string>();
  const rule = form?.replace(/#.*/, '');
  const result = await judge({
    only: rule === undefined ? [] : [rule, ...rulesBehind(rule)],
    requests: null,
    probesGaps: form === null,
    onRule: ({ id, verdict, checks }) => {
      if (id === rule && verdict === 'fail') for (const check of checks) foundBy.add(check);
    },
  });
  const measured: Measured = {
    form,
    requests: form === null ? requestsOf(result) : {},
    foundBy: [...foundBy],
  };
  appendFileSync(join(folder, `${share.replace('/', '-')}.jsonl`), `${JSON.stringify(measured)}\n`);
}

async function measureShare(): Promise<void> {
  const [own = 0, of = 1] = share.split('/').map(Number);
  if (own === 0) await measure(null, (told) => judgeReference(null, told));
  const plain = { ...styleWith([]), name: 'plain' };
  const forms: [string, (told: Told) => Promise<ServiceResult>][] = [
    ...FAULTS.map(({ id }): (typeof forms)[number] => [id, (told) => judgeReference(id, told)]),
    ...Object.values(FORMS_BY_SUBJECT)
      .flatMap((some) => Object.keys(some))
      .map((form): (typeof forms)[number] => [
        form,
        (told) => judgeControlled(plain, [form], { ...told, companion: undefined }),
      ]),
  ];
  for (const [at, [form, judge]] of forms.entries())
    if (at % of === own) await measure(form, judge);
}

/** Orders parts so that each form is found by the fewest requests, and then once more by other parts. */
function ordered(requests: Readonly<Record<string, number>>, all: readonly Measured[]): string[] {
  const ids = Object.keys(requests);
  const found = new Map(ids.map((id) => [id, new Set<number>()]));
  for (const [form, { foundBy }] of all.entries())
    for (const id of foundBy) found.get(id)?.add(form);
  const isFirst = (id: string): boolean => !/[@:]/.test(id.replace(/^(gap|survey)[/:]/, '@'));
  const order = ids.filter(isFirst);
  const rest = new Set(ids.filter((id) => !isFirst(id)));
  let open = new Set(all.keys());
  for (const id of order) for (const form of found.get(id) ?? []) open.delete(form);
  const worthOf = (id: string): number =>
    [...(found.get(id) ?? [])].filter((form) => open.has(form)).length / (requests[id] ?? 1);
  while (rest.size > 0) {
    const [best] = [...rest].sort(
      (a, b) => worthOf(b) - worthOf(a) || requests[a]! - requests[b]! || (a < b ? -1 : 1),
    );
    const next = new Set([...rest].flatMap((id) => [...(found.get(id) ?? [])]));
    if (worthOf(best!) === 0 && next.size > 0) {
      open = next;
      continue;
    }
    order.push(best!);
    rest.delete(best!);
    for (const form of found.get(best!) ?? []) open.delete(form);
  }
  return order;
}

function writeTable(files: readonly string[]): void {
  const all = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Measured),
  );
  const requests = Object.assign({}, ...all.map((one) => one.requests)) as Record<string, number>;
  const lines = ordered(requests, all).map((id) => `  ${JSON.stringify(id)}: ${requests[id]}`);
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
}

describe.runIf(share !== '')('measures the requests of parts, and what they find', () => {
  it('as told by the environment', { timeout: 3_600_000 }, async () => {
    if (share !== 'write') await measureShare();
    else writeTable(process.env['FAREPROOF_PARTS_FILES']?.split(',') ?? []);
    expect(share).not.toBe('');
  });
});

describe('the table of parts', () => {
  it('has each part of a sound service with a control API, and no other', async () => {
    const sent = new Set<string>();
    const { exchanges } = await judgeReference(null, { requests: null, probesGaps: true });
    for (const { part } of exchanges) if (part?.check !== undefined) sent.add(part.check);
    expect(Object.keys(PART_REQUESTS).toSorted()).toEqual([...sent].toSorted());
  });
});
