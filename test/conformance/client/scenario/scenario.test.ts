import { expect, it } from 'vitest';
import { scenarioSchema, waitsFor } from '../../../../src/conformance/client/scenario/scenario.ts';
import { SCENARIOS } from '../reference.ts';

it('refuses scenarios that do not fit its schema', () => {
  const [first] = SCENARIOS;
  const broken = [
    { ...first, surplus: 1 },
    { ...first, judges: ['client/no-such-rule'] },
    { ...first, atLeast: 99 },
    { ...first, goesOnRule: 'token/scope-echo' },
    // It does not say that the client continues.
    { ...first, goesOnRule: 'client/failure-handled' },
    { ...first, stimuli: [{ on: 'estimate', nth: 1, do: { answer: { status: 200 } } }] },
    { ...first, stimuli: [{ on: 'estimate', nth: 1, do: { cut: true, delayMs: 5 } }] },
  ];
  expect(scenarioSchema.safeParse(first).success).toBe(true);
  for (const scenario of broken) expect(scenarioSchema.safeParse(scenario).success).toBe(false);
});

it.each([
  [{ on: 'estimate', nth: 1 }, 'an estimate request'],
  [{ on: 'token', nth: 1 }, 'a token request'],
  [{ on: 'refresh', nth: 2 }, 'a second refresh'],
  [{ on: 'estimate', nth: 21 }, 'estimate request number 21'],
] as const)('names the trigger %j', (stimulus, words) => {
  expect(waitsFor(stimulus)).toBe(words);
});
