import { expect, it } from 'vitest';
import {
  recheckClient,
  type StoredCertification,
  scenariosShowing,
} from '../../../../src/conformance/client/judging/judge-client.ts';
import { observe, tokenRequest } from '../client-traffic.ts';

const frame = {
  mode: 'platform',
  estimates: 1,
  atLeast: 0,
  stimuli: [],
  ended: 'by-itself',
  endedMs: 0,
  goesOnRule: null,
  mayOutlast: true,
} as const;

/** A certification in which scenarios sent token requests with these nostr. */
function certified(nostrs: Readonly<Record<string, readonly string[]>>): StoredCertification {
  const sent = Object.entries(nostrs).flatMap(([scenario, own]) =>
    own.map((nostr) => ({ scenario, nostr })),
  );
  const requests = observe(
    sent.map(({ nostr }, at) => tokenRequest(`t${at}`, { at, fields: { nostr } })),
  );
  const exchanges = requests.map((observed, at) => ({
    id: observed.id,
    observed: { ...observed, scenario: sent[at]?.scenario ?? null },
  }));
  const scenarios = Object.keys(nostrs).map((name) => ({
    name,
    exitCode: 0,
    record: { frame: { ...frame, name }, judges: ['*'], complete: true },
  }));
  return { exchanges, scenarios, orders: 'no' } as unknown as StoredCertification;
}

it.each([
  ['of two scenarios by both', { first: ['aaaaaa'], second: ['aaaaaa'] }, ['first', 'second']],
  ['of one by itself', { first: ['bbbbbb'], second: ['aaaaaa', 'aaaaaa'] }, ['second']],
])('shows a nostr %s', (_case, nostrs, names) => {
  const stored = certified(nostrs);
  const rule = recheckClient(stored)?.rules.find(({ id }) => id === 'client/nostr-random');
  expect(rule?.verdict).toBe('warn');
  expect(scenariosShowing(stored, rule!).toSorted()).toEqual(names);
});
