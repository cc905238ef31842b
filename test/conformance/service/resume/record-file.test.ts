import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RecordFile } from '../../../../src/conformance/service/resume/record-file.ts';
import { openTokenJournal } from '../../../../src/conformance/service/resume/resumable-run.ts';
import { FareproofError } from '../../../../src/interface/errors.ts';
import { type Ledger, memoryLedger } from '../../../../src/spending/index.ts';
import { judgeMetered, withVerdict } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NOT_RECORDED = {
  code: 'RUN_NOT_RECORDED',
  message: expect.stringContaining('(it is not a regular file)'),
};

it('nothing is appended once that failed, as it would stand behind a torn line', () => {
  const path = join(temporaryFolder(), 'record');
  const file = new RecordFile(path);
  file.require('a');
  rmSync(path);
  mkdirSync(path);
  file.append('b');
  expect(() => file.require('c')).toThrow(expect.objectContaining(NOT_RECORDED));
  rmSync(path, { recursive: true });
  expect(() => file.require('d')).toThrow(expect.objectContaining(NOT_RECORDED));
  expect(file.isShort).toBe(true);
});

it('a text that is not needed is left out without an error', () => {
  const folder = temporaryFolder();
  const file = new RecordFile(folder);
  file.append('a');
  expect(file.isShort).toBe(false);
  const other = new RecordFile(join(folder, 'a'));
  other.append('b');
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('b');
});

/** Ledger that takes so many entries, as on a disk that becomes full. */
function ledgerOf(entries: number): Ledger {
  const whole = memoryLedger();
  let left = entries;
  const unlessFull = <A extends readonly unknown[]>(write: (...given: A) => void) => {
    return (...given: A): void => {
      if (left-- <= 0) throw new FareproofError('LEDGER_NOT_WRITABLE', 'the ledger is full');
      write(...given);
    };
  };
  return {
    ...whole,
    spend: unlessFull(whole.spend),
    useCode: unlessFull(whole.useCode),
    ban: unlessFull(whole.ban),
  };
}

const ONLY = ['token/nostr-*', 'lifecycle/*', 'quota/*', 'record/*'];
const PARTNERS = ['general', 'general', 'witness', 'spendable'] as const;

it.each([0, 1, 5])('a run is judged to its end by a ledger that takes %d entries', async (most) => {
  const ledger = { open: async () => ledgerOf(most) };
  const run = { ledger, allowBan: true, only: ONLY };
  const { result, service } = await judgeMetered(STYLES[1]!, [], PARTNERS, run);
  expect(result.verdict).toBe('incomplete');
  expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
  const reasons = result.rules.map(({ reason }) => reason);
  expect(reasons.some((reason) => reason.includes('the ledger is full'))).toBe(true);
  expect(service.bodies.length).toBeLessThanOrEqual(most);
});

it('a run whose tokens cannot be recorded sends no refresh that would use one up, and is judged', async () => {
  const path = join(temporaryFolder(), 'tokens.jsonl');
  const journal = openTokenJournal(path);
  rmSync(path);
  mkdirSync(path);
  const { result } = await judgeMetered(STYLES[1]!, [], PARTNERS, { journal, only: ONLY });
  const reasonOf = (rule: string) => result.rules.find(({ id }) => id === rule)?.reason;
  expect(reasonOf('lifecycle/refresh-single-use')).toContain('could not be recorded first');
  expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
  expect(withVerdict(result, 'pass').length).toBeGreaterThan(5);
});

it.each([
  ['sent, and not answered', ['used'], true],
  ['refused', ['used', 'refused'], false],
  ['sent three times, and accepted once', ['used', 'used', 'used', 'refused', 'refused'], true],
  ['refused, and sent again', ['used', 'refused', 'used'], true],
] as const)('a refresh_token is used up for a resumed run if it was %s', (_how, calls, isUsed) => {
  const path = join(temporaryFolder(), 'tokens.jsonl');
  const journal = openTokenJournal(path);
  for (const call of calls) journal[call]('p', 'a token');
  expect(journal.wasUsed('a token')).toBe(false);
  expect(openTokenJournal(path).wasUsed('a token')).toBe(isUsed);
});

it.each([
  ['a refresh that must be accepted', ['quota/refresh-allows-10'], true],
  ['none but those beyond the allowance', [], false],
] as const)(
  'a run notes which refresh_tokens were refused: %s',
  async (_which, broken, isNoted) => {
    const path = join(temporaryFolder(), 'tokens.jsonl');
    const only = ['quota/refresh-allows-10', 'quota/refresh-refuses-11th'];
    const journal = openTokenJournal(path);
    await judgeMetered(STYLES[1]!, broken, PARTNERS, { journal, only, allowBan: true });
    const text = readFileSync(path, 'utf8');
    expect(text).toContain('"used":');
    expect(text.includes('"refused":')).toBe(isNoted);
  },
);

it('a refresh that a script can do without leaves its rule judged where its token was used before', async () => {
  const path = join(temporaryFolder(), 'tokens.jsonl');
  const journal = { ...openTokenJournal(path), wasUsed: () => true };
  const only = ['lifecycle/access-token-valid-until-expiry'];
  const { result, service } = await judgeMetered(STYLES[1]!, [], PARTNERS, {
    journal,
    only,
    waits: true,
  });
  expect(withVerdict(result, 'pass')).toEqual(only);
  expect(service.bodies.join()).not.toContain('"refresh_token":');
});
