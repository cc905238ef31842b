import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTokenJournal } from '../../src/conformance/index.ts';
import { openLedger } from '../../src/spending/index.ts';
import { judgeMetered } from '../independent-service/judge.ts';
import { middayNow } from '../independent-service/midday.ts';
import { STYLES } from '../independent-service/style.ts';
import { lockWorld, openedLedger } from '../support/lock-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HOUR = 3_600_000;
const fresh = (): string => join(temporaryFolder(), 'state', 'ledger.jsonl');
const open = (path: string, nowMs: number, alive = false) =>
  openLedger(path, lockWorld({ wall: () => nowMs, isAlive: () => alive }));

describe('the ledger', () => {
  it('keeps one day of spending by target and partner', async () => {
    const path = fresh();
    const first = await open(path, 0);
    first.spend('t', 'p', ['platform'], 0);
    first.spend('t', 'p', ['platform', 'user', 'refresh'], HOUR);
    first.spend('t', 'other', ['platform'], HOUR);
    first.close();
    const second = await open(path, 24 * HOUR);
    expect(second.spentOf('t', 'p', 24 * HOUR)).toEqual({ platform: 2, user: 1, refresh: 1 });
    expect(second.spentOf('elsewhere', 'p', 24 * HOUR)).toEqual({
      platform: 0,
      user: 0,
      refresh: 0,
    });
    second.close();
    const third = await open(path, 25 * HOUR);
    expect(third.spentOf('t', 'p', 25 * HOUR)).toEqual({ platform: 1, user: 1, refresh: 1 });
    third.close();
  });

  it('tells what was refused from what was spent, while it surely counts', async () => {
    const path = fresh();
    const first = await open(path, 0);
    for (const partner of ['p', 'other']) first.spend('t', partner, ['platform', 'user'], 0);
    first.refuse('t', 'p', ['platform', 'user'], 60_000);
    first.close();
    const second = await open(path, 23 * HOUR);
    const none = { platform: 0, user: 0, refresh: 0 };
    expect(second.spentOf('t', 'p', 23 * HOUR)).toEqual({ platform: 1, user: 1, refresh: 0 });
    expect(second.refusedOf('t', 'p', 23 * HOUR)).toEqual({ platform: 1, user: 1, refresh: 0 });
    expect(second.refusedOf('t', 'other', 23 * HOUR)).toEqual(none);
    second.close();
    // The request may count no longer, a minute before its refusal.
    const third = await open(path, 24.9 * HOUR);
    expect(third.refusedOf('t', 'p', 24.9 * HOUR)).toEqual(none);
    third.close();
    (await open(path, 26 * HOUR)).close();
    expect(readFileSync(path, 'utf8')).not.toContain('refused');
  });

  it('remembers the last run of each target, however old', async () => {
    const path = fresh();
    const first = await open(path, 0);
    expect(first.lastRun('http://a')).toBeNull();
    first.recordRun('http://a', '/runs/1', 0);
    first.recordRun('http://b', '/runs/2', 0);
    first.recordRun('http://a/', '/runs/3', HOUR);
    first.close();
    const later = await open(path, 1000 * HOUR);
    expect(later.lastRun('http://a')).toBe('/runs/3');
    expect(later.lastRun('http://b')).toBe('/runs/2');
    expect(readFileSync(path, 'utf8')).not.toContain('/runs/1');
    expect(later.mayBeUsedUp('http://a', 'p', 1000 * HOUR)).toBe(false);
    later.close();
  });

  it('counts what was spent under another path of the origin, until that or this begins anew', async () => {
    const ledger = await open(fresh(), 0);
    const [one, two, elsewhere] = ['http://a/one', 'http://a/two', 'http://a:81/one'];
    const platform = (target: string): number => ledger.spentOf(target, 'p', 0).platform;
    for (const target of [one, one, two]) ledger.spend(target, 'p', ['platform'], 0);
    ledger.useCode(one, 'p', 'code', 0);
    ledger.ban(one, 'p', HOUR, 0);
    for (const target of [one, two, 'http://a']) {
      expect(platform(target)).toBe(3);
      expect(ledger.isCodeUsed(target, 'p', 'code')).toBe(true);
      expect(ledger.bannedUntilMs(target, 'p', 0)).toBe(HOUR);
    }
    expect(platform(elsewhere)).toBe(0);
    ledger.startAnew(one, 0);
    // The service behind it has forgotten what came over it; the other path may lead to another.
    expect([one, two, 'http://a'].map(platform)).toEqual([0, 1, 1]);
    ledger.spend(one, 'p', ['platform'], 0);
    expect([one, two].map(platform)).toEqual([1, 2]);
    ledger.startAnew(two, 0);
    expect([one, two].map(platform)).toEqual([1, 0]);
    ledger.close();
  });

  it('remembers used auth codes forever, without storing them', async () => {
    const path = fresh();
    const first = await open(path, 0);
    first.useCode('t', 'p', 'the-secret-code', 0);
    first.close();
    const later = await open(path, 1000 * HOUR);
    expect(later.isCodeUsed('t', 'p', 'the-secret-code')).toBe(true);
    expect(later.isCodeUsed('t', 'p', 'another')).toBe(false);
    expect(readFileSync(path, 'utf8')).not.toContain('the-secret-code');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is used by one run at a time; the lock of a dead one is ignored', async () => {
    const path = fresh();
    await open(path, 0);
    await expect(open(path, 0, true)).rejects.toMatchObject({
      code: 'LEDGER_IN_USE',
      message: expect.stringContaining(
        `process 42 on here, since 1970-01-01T00:00:00.000Z, holds ${path}.lock`,
      ),
    });
    (await open(path, 0, false)).close();
  });

  it('drops a truncated last line, and refuses a whole one that it cannot read, the last too', async () => {
    const path = fresh();
    const ledger = await open(path, 0);
    ledger.spend('t', 'p', ['platform'], 0);
    ledger.close();
    const line = readFileSync(path, 'utf8');
    writeFileSync(path, `${line}{"atMs":`);
    const torn = await open(path, 0);
    expect(torn.spentOf('t', 'p', 0).platform).toBe(1);
    torn.spend('t', 'p', ['platform'], 0);
    torn.close();
    const next = await open(path, 0);
    expect(next.spentOf('t', 'p', 0).platform).toBe(2);
    next.close();
    for (const [text, at] of [
      [`nonsense\n${line}`, 1],
      [`${line}{"atMs":\n`, 2],
      [`${line}\n`, 2],
    ] as const) {
      writeFileSync(path, text);
      await expect(open(path, 0)).rejects.toMatchObject({
        code: 'LEDGER_BROKEN',
        message: expect.stringContaining(`${path}:${at}: `) as string,
      });
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });

  it.runIf(process.platform === 'linux')('is a regular file, or nothing is done', async () => {
    const folder = temporaryFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    symlinkSync('/dev/full', join(folder, 'full'));
    for (const path of [pipe, join(folder, 'full'), folder]) {
      await expect(open(path, 0)).rejects.toMatchObject({
        code: 'LEDGER_NOT_WRITABLE',
        message: expect.stringContaining('it is not a regular file') as string,
      });
    }
    execFileSync('mkfifo', [join(folder, 'ledger.lock')]);
    (await open(join(folder, 'ledger'), 0)).close();
    expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['full', 'ledger', 'pipe']);
  });

  it('two runs on one day stay within one allowance, and send no code twice', {
    timeout: 120_000,
  }, async () => {
    const path = fresh();
    const ledger = await open(path, middayNow());
    const journal = openTokenJournal(`${path}.tokens`);
    const { result } = await judgeMetered(STYLES[0]!, [], ['general', 'general'], {
      ledger: openedLedger(ledger),
      journal,
    });
    const spent = ledger.spentOf(result.target.baseUrl, 'partner-0', middayNow());
    expect(spent).toEqual(result.spend['partner-0']);
    ledger.close();
    const journalled = readFileSync(`${path}.tokens`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const used = journalled.filter((entry) => entry.used);
    expect(used.length).toBeGreaterThan(0);
    expect(statSync(`${path}.tokens`).mode & 0o777).toBe(0o600);
  });

  it('a banned partner is not used the next day', async () => {
    const ledger = await open(fresh(), middayNow());
    const uses = ['general', 'spendable'] as const;
    const { result, service } = await judgeMetered(STYLES[0]!, [], uses, {
      ledger: openedLedger(ledger),
      allowBan: true,
    });
    const until = ledger.bannedUntilMs(result.target.baseUrl, 'partner-1', middayNow());
    expect(until).toBeGreaterThan(middayNow() + 24 * HOUR);
    expect(service.bans).toEqual(['partner-1']);
    ledger.close();
  });

  it('behind a link stays behind it, and is for its owner only', async () => {
    const folder = temporaryFolder();
    const [link, file] = [join(folder, 'link'), join(folder, 'file')];
    writeFileSync(file, '', { mode: 0o666 });
    symlinkSync(file, link);
    for (const nowMs of [0, HOUR, 60 * HOUR]) {
      const ledger = await open(link, nowMs);
      ledger.spend('t', 'p', ['platform'], nowMs);
      ledger.close();
    }
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('has one lock for all its names', async () => {
    const folder = temporaryFolder();
    symlinkSync(join(folder, 'file'), join(folder, 'link'));
    await open(join(folder, 'link'), 0);
    await expect(open(join(folder, 'file'), 0, true)).rejects.toMatchObject({
      code: 'LEDGER_IN_USE',
    });
  });

  it('is an error where there can be no folder', async () => {
    await expect(open('/proc/fareproof/state/ledger.jsonl', middayNow())).rejects.toMatchObject({
      code: 'LEDGER_NOT_WRITABLE',
    });
  });

  it('that is used up makes rules untestable, not undecided', {
    timeout: 120_000,
  }, async () => {
    const path = fresh();
    const ledger = await open(path, middayNow());
    const { result, service } = await judgeMetered(
      STYLES[0]!,
      [],
      ['general', 'general'],
      { ledger: openedLedger(ledger) },
      ({ baseUrl }) => {
        for (const partner of ['partner-0', 'partner-1']) {
          for (let at = 0; at < 10; at++)
            ledger.spend(baseUrl, partner, ['platform', 'user', 'refresh'], middayNow());
        }
      },
    );
    ledger.close();
    expect(service.bodies).toEqual([]);
    expect(result.summary).toMatchObject({ pass: 0, fail: 0, warn: 0, inconclusive: 0 });
    const rule = result.rules.find(({ id }) => id === 'token/scope-default');
    expect(rule).toMatchObject({
      verdict: 'untestable',
      reason: expect.stringContaining('no partner of the profile has them left today'),
      remedy: expect.stringMatching(
        /^try it alone once there is room for it: restart .*local: true.*declared as restarted; .*control API; .*another partner.*; or wait until /,
      ),
    });
  });
});
