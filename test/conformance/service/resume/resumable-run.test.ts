import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { ResumableRun } from '../../../../src/conformance/index.ts';
import { lockWorld } from '../../../support/lock-world.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const DAY_MS = 86_400_000;
const PENDING = { rules: [{ pendingUntil: '2026-01-01T00:00:00Z' }] };
const FINISHED = { rules: [{}] };

let folder: string;
let states: string;

beforeEach(() => {
  folder = join(temporaryFolder(), 'out');
  mkdirSync(folder);
  states = join(temporaryFolder(), 'state');
});

/** A world in which the processes that hold locks are still there, or are not. */
const world = (areAlive: boolean) => lockWorld({ isAlive: () => areAlive });

async function start(into = folder, areAlive = true): Promise<ResumableRun> {
  const run = await ResumableRun.start(into, states, { flags: {} }, world(areAlive));
  onTestFinished(() => run.close());
  return run;
}

const resume = (areAlive = true) => ResumableRun.resume(folder, states, world(areAlive));
const idOf = (into = folder) => readFileSync(join(into, 'run-id'), 'utf8').trim();
const stateOf = (id: string) => join(states, 'runs', id);

/** Lets a state look as if nothing had changed in it for some days. */
function age(id: string, days: number): void {
  const then = new Date(Date.now() - days * DAY_MS);
  for (const name of readdirSync(stateOf(id))) utimesSync(join(stateOf(id), name), then, then);
  utimesSync(stateOf(id), then, then);
}

it('keeps in its folder an id alone, and all else where only its owner can read it', async () => {
  const run = await start();
  run.openJournal().received('p', { refresh: 'a refresh_token' });
  expect(readdirSync(folder)).toEqual(['run-id']);
  expect(idOf()).toMatch(/^[0-9a-f]{16}$/);
  expect(readdirSync(stateOf(idOf())).sort()).toEqual(['lock', 'progress.jsonl', 'tokens.jsonl']);
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  expect([states, join(states, 'runs'), stateOf(idOf())].map(modeOf)).toEqual([
    0o700, 0o700, 0o700,
  ]);
  for (const name of readdirSync(stateOf(idOf())))
    expect(modeOf(join(stateOf(idOf()), name))).toBe(0o600);
});

it('removes its id and its state when it is finished, and neither while rules are pending', async () => {
  const run = await start();
  const id = idOf();
  expect(run.settle(PENDING)).toBe(true);
  expect(run.settle({ ...FINISHED, interrupted: true })).toBe(true);
  expect([idOf(), existsSync(stateOf(id))]).toEqual([id, true]);
  expect(run.settle(FINISHED)).toBe(false);
  expect([readdirSync(folder), readdirSync(join(states, 'runs'))]).toEqual([[], []]);
});

it('is not resumed once it is finished: the error says that it is', async () => {
  const run = await start();
  run.settle(FINISHED);
  await expect(resume()).rejects.toMatchObject({ message: expect.stringContaining('no file') });
  writeFileSync(join(folder, 'run.json'), '{}');
  await expect(resume()).rejects.toMatchObject({
    code: 'RESUME_NOTHING',
    message: `${folder}: the run is finished, so that there is nothing to resume. Start a new run.`,
  });
});

it('is resumed with its command, also if it died before it began', async () => {
  (await start()).close();
  const run = await resume();
  expect(run.command).toEqual({ flags: {} });
  expect(run.runLog.earlier).toMatchObject({ facts: null, exchanges: [] });
  run.close();
});

it('is not resumed without its state: the error names both', async () => {
  const run = await start();
  const id = idOf();
  run.close();
  rmSync(stateOf(id), { recursive: true });
  await expect(resume()).rejects.toMatchObject({
    code: 'RESUME_NOTHING',
    message: expect.stringMatching(new RegExp(`${folder}.*${stateOf(id)}`)),
  });
  expect(existsSync(stateOf(id))).toBe(false);
});

it.each(['', '../../../etc', '..', `${'a'.repeat(16)}/..`])(
  'takes no path for an id: "%s"',
  async (id) => {
    mkdirSync(join(states, 'runs'), { recursive: true });
    writeFileSync(join(states, 'progress.jsonl'), '{"run":null}\n');
    writeFileSync(join(folder, 'run-id'), id);
    await expect(resume()).rejects.toMatchObject({
      code: 'RESUME_NOTHING',
      message: expect.stringMatching(new RegExp(`${folder}.*${join(states, 'runs')}`)),
    });
  },
);

it('is resumed by one process at a time, and by another one once its own died', async () => {
  const run = await start();
  await expect(resume()).rejects.toMatchObject({ code: 'RUN_UNDER_WAY' });
  const later = await resume(false);
  later.close();
  run.close();
});

it('leaves the state to others if that is damaged', async () => {
  (await start()).close();
  writeFileSync(join(stateOf(idOf()), 'progress.jsonl'), 'nonsense\n\n');
  await expect(resume()).rejects.toMatchObject({ code: 'RESUME_BROKEN' });
  await expect(resume()).rejects.toMatchObject({ code: 'RESUME_BROKEN' });
});

it('does not share a folder with a run that is under way', async () => {
  const run = await start();
  await expect(start()).rejects.toMatchObject({ code: 'RUN_FOLDER_IN_USE' });
  run.close();
});

it('takes the place of an earlier run in its folder, which leaves that alone from then on', async () => {
  const earlier = await start();
  const later = await start(folder, false);
  const id = idOf();
  earlier.openJournal().received('p', { refresh: 'of the earlier run' });
  expect(later.openJournal().tokens).toEqual([]);
  expect(earlier.settle(FINISHED)).toBe(false);
  expect([idOf(), existsSync(stateOf(id))]).toEqual([id, true]);
});

it('removes the states of runs that nobody continued for 30 days, when it starts', async () => {
  const other = temporaryFolder();
  const ids = [];
  for (const days of [31, 29]) {
    (await start(other)).close();
    age(idOf(other), days);
    ids.push(idOf(other));
  }
  const strange = join(states, 'runs', 'kept-by-hand');
  mkdirSync(strange);
  utimesSync(strange, 0, 0);
  await start();
  expect(ids.map((id) => existsSync(stateOf(id)))).toEqual([false, true]);
  expect(existsSync(strange)).toBe(true);
});

it('never removes the state of a run that is under way, however old', async () => {
  const other = temporaryFolder();
  const waiting = await start(other);
  age(idOf(other), 99);
  await start();
  expect(existsSync(stateOf(idOf(other)))).toBe(true);
  waiting.close();
});

it('says where its state cannot be kept', async () => {
  writeFileSync(states, '');
  await expect(start()).rejects.toMatchObject({
    code: 'STATE_NOT_WRITABLE',
    message: expect.stringContaining('FAREPROOF_STATE_DIR'),
  });
  expect(readdirSync(folder)).toEqual([]);
});

it('says that a state cannot be read or written when it is resumed', async () => {
  (await start()).close();
  const log = join(stateOf(idOf()), 'progress.jsonl');
  rmSync(log);
  mkdirSync(log);
  await expect(resume()).rejects.toMatchObject({
    code: 'STATE_NOT_WRITABLE',
    message: expect.stringContaining('(EISDIR)'),
  });
});
