import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Ledger, openLedger } from '../../src/spending/index.ts';
import { lockWorld } from '../support/lock-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NOW = Date.UTC(2026, 2, 2, 12);
const TARGET = 'http://127.0.0.1:8080';

const ledger = (): Promise<Ledger> =>
  openLedger(join(temporaryFolder(), 'ledger.jsonl'), lockWorld({ wall: () => NOW }));

/** Sends platform requests of a run, of which the first ones are accepted. */
function send(into: Ledger, accepted: number, refused = 0): void {
  for (let at = 0; at < accepted + refused; at++) {
    into.spend(TARGET, 'p', ['platform'], NOW);
    if (at < accepted) into.accept(TARGET, 'p', ['platform'], NOW);
  }
}

/** Runs that each began anew, as accepted and refused requests; true if the last refusal may be due to them. */
async function after(
  ...runs: readonly (readonly [accepted: number, refused: number])[]
): Promise<boolean> {
  const one = await ledger();
  for (const run of runs) {
    one.startAnew(TARGET, NOW);
    send(one, ...run);
  }
  return one.mayBeUsedUp(TARGET, 'p', NOW);
}

it.each([
  ['the first run, whose refusals are its own', [[3, 1]], false],
  ['the first run, beyond its allowances', [[9, 3]], false],
  [
    'a day used up before',
    [
      [10, 0],
      [0, 1],
    ],
    true,
  ],
  [
    'a day used up by two runs',
    [
      [4, 0],
      [6, 0],
      [0, 1],
    ],
    true,
  ],
  [
    'a run that reaches the end of the day',
    [
      [6, 0],
      [4, 1],
    ],
    true,
  ],
  [
    'refused requests that may have counted',
    [
      [2, 8],
      [0, 1],
    ],
    true,
  ],
  [
    'room that is left',
    [
      [3, 0],
      [2, 1],
    ],
    false,
  ],
  [
    'a restart that what was accepted proves',
    [
      [10, 0],
      [3, 1],
    ],
    false,
  ],
  [
    'a restart, and then a day used up',
    [
      [10, 0],
      [10, 0],
      [0, 1],
    ],
    true,
  ],
] as const)('%s: %j may be why is %s', async (_name, runs, expected) => {
  expect(await after(...runs)).toBe(expected);
});

it('a ban of an earlier run may be why, one of this run is not', async () => {
  const one = await ledger();
  one.startAnew(TARGET, NOW);
  one.ban(TARGET, 'p', NOW + 1000, NOW);
  expect(one.mayBeUsedUp(TARGET, 'p', NOW)).toBe(false);
  one.startAnew(TARGET, NOW);
  send(one, 0, 1);
  expect(one.mayBeUsedUp(TARGET, 'p', NOW)).toBe(true);
  expect(one.mayBeUsedUp(TARGET, 'other', NOW)).toBe(false);
  expect(one.bannedUntilMs(TARGET, 'p', NOW)).toBe(0);
  expect(one.bannedUntilMs(TARGET, 'p', NOW, 'ever')).toBe(NOW + 1000);
});

it('a target that did not begin anew is not excused', async () => {
  const one = await ledger();
  send(one, 10, 1);
  expect(one.mayBeUsedUp(TARGET, 'p', NOW)).toBe(false);
  expect(one.spentOf(TARGET, 'p', NOW).platform).toBe(11);
});

it('beginning anew forgets spending and codes, but not what was ever sent', async () => {
  const one = await ledger();
  one.useCode(TARGET, 'p', 'c1', NOW);
  send(one, 2);
  one.startAnew('http://localhost:8080/', NOW);
  expect(one.spentOf(TARGET, 'p', NOW).platform).toBe(0);
  expect(one.spentOf(TARGET, 'p', NOW, 'ever').platform).toBe(2);
  expect(one.isCodeUsed(TARGET, 'p', 'c1')).toBe(false);
  expect(one.isCodeUsed(TARGET, 'p', 'c1', 'ever')).toBe(true);
});
