import { expect, it } from 'vitest';
import { checkService, type ServiceResult } from '../../../src/conformance/index.ts';
import { DEFAULT_REQUESTS } from '../../../src/conformance/service/budget/parts-within.ts';
import type { Check } from '../../../src/conformance/service/contract/check.ts';
import { batchName } from '../../../src/conformance/service/contract/parts.ts';
import { type Facts, factsOf } from '../../../src/conformance/service/contract/target.ts';
import { SERVICE_CHECKS } from '../../../src/conformance/service/rules/all.ts';
import { applicableChecks } from '../../../src/conformance/service/runner/prerequisites.ts';
import { judgeMetered, RUN, targetOf } from '../../independent-service/judge.ts';
import { OutsideService } from '../../independent-service/service.ts';
import { STYLES } from '../../independent-service/style.ts';
import { embeddedPair } from '../../independent-service/world.ts';

/**
 * Requests of a run, each once, by check and base request, with what a service that follows the rules answers.
 * A change of what a check sends shows as a change of the files; `npx vitest run FILE --update` writes them anew.
 */
function requestsIn({ exchanges }: Pick<ServiceResult, 'exchanges'>): string {
  const byPart = new Map<string, Set<string>>();
  for (const { part, purpose, expects, signed, request } of exchanges) {
    // A rest depends on the machine.
    if (!part || part.step === 'rested') continue;
    const place = part.batch ? batchName(part.batch) : '';
    const name = `${part.check ?? `(${part.step})`} on ${place}${part.counted ? ', counted' : ''}`;
    const altered = signed?.alteration === undefined ? '' : `, ${signed.alteration}`;
    const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
    const line = `${request.method} ${expects}: ${purpose.replaceAll(time, 'TIME')}${altered}`;
    byPart.set(name, (byPart.get(name) ?? new Set()).add(line));
  }
  const parts = [...byPart].map(([name, lines]) => [name, ...[...lines].sort()].join('\n  '));
  return `${parts.sort().join('\n')}\n`;
}

it('a run with a control API sends what it sent', async () => {
  const run = { ...RUN, requests: DEFAULT_REQUESTS, ...(await embeddedPair()) };
  await expect(requestsIn(await checkService(run))).toMatchFileSnapshot(
    'snapshots/requests-controlled.txt',
  );
});

it('a run with metered partners sends what it sent', async () => {
  const uses = ['general', 'general', 'witness', 'spendable', 'spendable', 'spendable'] as const;
  const { result } = await judgeMetered(STYLES[0]!, [], uses, { allowBan: true });
  const exchanges = result.exchanges.filter(({ request }) => request.method === 'POST');
  await expect(requestsIn({ exchanges })).toMatchFileSnapshot('snapshots/requests-metered.txt');
});

/** Everything that a check says of itself before it runs, but for its id and its turn among its parts. */
function describeCheck(check: Check, facts: Facts): string {
  const { rules, places, acceptance, needs, dependsOn, priority, effect, refusedAs } = check;
  const spends = places.map(({ baseRequest }) => check.spends?.(facts, baseRequest));
  const turn = priority?.stage ?? priority?.rank;
  const missing = needs?.missing?.(facts);
  const rest = { acceptance, needs, missing, dependsOn, turn, effect, refusedAs, spends };
  return `${rules.join(', ')} on ${places.map(batchName).join(', ')}: ${JSON.stringify(rest)}`;
}

it.each(['controlled', 'metered'])('the checks of a %s target say what they said', async (kind) => {
  const metered = kind === 'metered';
  const service = new OutsideService(STYLES[0]!, []);
  const run = { metered, partners: 4, asked: () => true, waits: false };
  const facts = factsOf(targetOf(service, !metered), run);
  const checks = applicableChecks(SERVICE_CHECKS, facts, true);
  const alike = new Map<string, number>();
  for (const one of checks.map((check) => describeCheck(check, facts)))
    alike.set(one, (alike.get(one) ?? 0) + 1);
  const lines = [...alike].map(([words, times]) => `${times} x ${words}\n`);
  await expect(lines.join('')).toMatchFileSnapshot(`snapshots/checks-${kind}.txt`);
});
