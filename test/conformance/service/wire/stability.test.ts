import { expect, it } from 'vitest';
import { Stability } from '../../../../src/conformance/service/wire/stability.ts';

/** Records outcomes by base request: `a` for accepted, `r` for refused, `b` for broken. */
function doubtOf(outcomes: Readonly<Record<string, string>>): string | null {
  const stability = new Stability();
  const words = { a: 'accepted', r: 'refused', b: 'broken' } as const;
  for (const [base, letters] of Object.entries(outcomes)) {
    for (const letter of letters) {
      const outcome = words[letter as keyof typeof words];
      stability.record({ kind: base, base, outcome, exchange: 'x0' });
    }
  }
  return stability.doubt;
}

it.each([
  { 'a refresh': 'arrr' },
  { 'a refresh': 'rarar' },
  { 'a refresh': 'arr', 'an estimate': 'ra' },
])('doubts a target that refuses three openings of some, others not: %j', (outcomes) => {
  expect(doubtOf(outcomes)).toMatch(
    /refuses most well-formed requests of kinds that it also accepts: 3 of \d/,
  );
});

it.each([
  {},
  { 'a refresh': 'aaaa' },
  { 'a refresh': 'aarr' },
  { 'a refresh': 'arrb' },
  // It is refused for a reason.
  { 'a refresh': 'rrrr' },
  { 'a refresh': 'rrrr', 'an estimate': 'aaaa' },
  { 'a refresh': 'bbbb', 'an estimate': 'abbb' },
])('trusts a target with %j', (outcomes) => {
  expect(doubtOf(outcomes)).toBeNull();
});

it('counts the base requests that were both accepted and refused', () => {
  expect(
    doubtOf({ 'a refresh': 'arrb', 'an estimate': 'aaarr', 'an exchange': 'rr', 'a lock': 'aaa' }),
  ).toBe('the target refuses well-formed requests at random: 4 of 8 (a refresh, an estimate)');
});

/** Doubt once refusals of these rules did not show again. */
function doubtAfter(rules: readonly string[]): string | null {
  const stability = new Stability();
  for (const rule of rules) stability.recordTakenBack(rule);
  return stability.doubt;
}

it('doubts a target whose refusals in three rules did not show again', () => {
  expect(doubtAfter(['signature/utf8', 'token/scope-echo', 'quota/daily-reset'])).toBe(
    'the target refuses at random: refusals in 3 rules did not show again when they were repeated',
  );
});

it('trusts one whose refusals in few rules did not: a rule may be broken in some answers', () => {
  expect(doubtAfter(['signature/utf8', 'signature/utf8', 'signature/utf8'])).toBeNull();
  expect(doubtAfter(['signature/utf8', 'token/scope-echo'])).toBeNull();
});

it('doubts the refusal of an opening whose kind is accepted in other batches', () => {
  const stability = new Stability();
  const opened = (kind: string, outcome: 'accepted' | 'refused', exchange: string): void =>
    stability.record({ kind, base: `${kind} in a shape`, outcome, exchange });
  opened('a platform estimate', 'refused', 'x1');
  expect(stability.doubtOf('x1')).toBeNull();
  opened('a user estimate', 'accepted', 'x2');
  expect(stability.doubtOf('x1')).toBeNull();
  opened('a platform estimate', 'accepted', 'x3');
  expect(stability.doubtOf('x1')).toContain('accepted in 1 of 2 batches');
  // It was accepted, so what it broke is no refusal; the other is no opening request.
  for (const exchange of ['x3', 'x9']) expect(stability.doubtOf(exchange)).toBeNull();
});
