// @module-tag long
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { compiledPackage } from '../support/compiled.ts';
import { OWNER } from '../support/lock-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const STARTER = fileURLToPath(new URL('./ledger-starter.mjs', import.meta.url));
/** Users other than root need a namespace of users for one of processes. */
const OWN_NAMESPACE = [[], ['--user', '--map-root-user']]
  .map((flags) => ['unshare', ...flags, '--pid', '--fork', '--kill-child', '--mount-proc'])
  .find(([command = '', ...flags]) => spawnSync(command, [...flags, 'true']).status === 0);
const canUnshare = OWN_NAMESPACE !== undefined;
if (!canUnshare) {
  console.warn(
    'Skipped: locks across PID namespaces. unshare --pid is not permitted on this machine.',
  );
}

const compiled = compiledPackage();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process that opens ledgers on request; with `around`, as the child of that command. */
async function startStarter(around: readonly string[] = []): Promise<ChildProcess> {
  const opener = pathToFileURL(compiled.path('spending/this-process.js')).href;
  const [command, ...args] = [...around, process.execPath];
  const child = spawn(command ?? process.execPath, [...args, STARTER, opener], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.push(child);
  await once(child, 'message');
  return child;
}

async function ask(child: ChildProcess, message: string): Promise<unknown> {
  const answer = once(child, 'message');
  child.send(message);
  const [text] = await answer;
  return text;
}

/** Starts all at once on one ledger; returns their answers. The one that got it closes it again. */
async function race(starters: readonly ChildProcess[], ledger: string): Promise<string[]> {
  const answers = await Promise.all(starters.map((starter) => ask(starter, ledger)));
  await Promise.all(starters.map((starter) => ask(starter, 'close')));
  return answers.map(String).sort((one, other) => (one < other ? -1 : 1));
}

const ONE_OF_EIGHT = [...Array.from({ length: 7 }, () => 'LEDGER_IN_USE'), 'held'];

/** The lock of a run that was killed an hour ago, in a container or on this host. */
function leaveStaleLock(ledger: string, round: number): void {
  const lock = `${ledger}.lock`;
  const text = JSON.stringify({ ...OWNER, bootId: bootId(), nonce: `round-${round}`, since: '' });
  writeFileSync(lock, round % 4 === 3 ? '' : text);
  const anHourAgo = Date.now() / 1000 - 3_600;
  utimesSync(lock, anHourAgo, anHourAgo);
}

function bootId(): string {
  return spawnSync('cat', ['/proc/sys/kernel/random/boot_id'], { encoding: 'utf8' }).stdout.trim();
}

describe('eight runs that start at once on one ledger', () => {
  it('give one holder and seven refusals in 80 rounds, with and without a stale lock', async () => {
    const folder = temporaryFolder();
    const starters = await Promise.all(Array.from({ length: 8 }, () => startStarter()));
    for (let round = 0; round < 80; round++) {
      const ledger = join(folder, `ledger-${round}`);
      // A lock without a record is valid for 8 s: a few rounds have one.
      if (round % 2 === 1 && (round % 4 === 1 || round % 40 === 3)) leaveStaleLock(ledger, round);
      expect([round, ...(await race(starters, ledger))]).toEqual([round, ...ONE_OF_EIGHT]);
    }
  });

  it.runIf(canUnshare)('do so in separate PID namespaces too', async () => {
    const folder = temporaryFolder();
    const starters = await Promise.all(
      Array.from({ length: 8 }, (_, at) => startStarter(at % 2 === 0 ? OWN_NAMESPACE : undefined)),
    );
    for (let round = 0; round < 10; round++) {
      const ledger = join(folder, `ledger-${round}`);
      if (round % 2 === 1) leaveStaleLock(ledger, 1);
      expect([round, ...(await race(starters, ledger))]).toEqual([round, ...ONE_OF_EIGHT]);
    }
  });

  it.runIf(canUnshare)('do not wait for one that was killed in a container', async () => {
    const ledger = join(temporaryFolder(), 'ledger');
    const [inside, outside] = await Promise.all([startStarter(OWN_NAMESPACE), startStarter()]);
    expect(await ask(inside, ledger)).toBe('held');
    expect(await ask(outside, ledger)).toBe('LEDGER_IN_USE');
    const gone = once(inside, 'exit');
    inside.kill('SIGKILL');
    await gone;
    expect(await ask(outside, ledger)).toBe('held');
  });
});
