import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LoadDocument } from '../../../../src/documents/load.ts';
import { parseDocument } from '../../../../src/documents/run-document.ts';
import { loadSample } from '../../../report/samples/load-sample.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

/** Writes the run of a day into a folder of its own, as `load --out` does. */
function write(
  day: number,
  { slower = 1, ...changes }: Partial<LoadDocument> & { slower?: number } = {},
) {
  const sample = loadSample(1, changes);
  const scaled = Object.fromEntries(
    Object.entries(sample.latencyUs.response).map(([name, us]) => [
      name,
      name === 'count' ? us : us * slower * (1 + (day % 3) / 1000),
    ]),
  ) as LoadDocument['latencyUs']['response'];
  const at = (seconds: number): string =>
    new Date(Date.UTC(2026, 10, day, 10, 0, seconds)).toISOString();
  const folder = join(cwd, 'history', `${day}`);
  mkdirSync(folder, { recursive: true });
  const run = {
    ...sample,
    startedAt: at(0),
    finishedAt: at(1),
    latencyUs: { ...sample.latencyUs, response: scaled },
    verdict: 'held',
  };
  writeFileSync(join(folder, 'run.json'), JSON.stringify(run));
}

const compare = (...args: string[]) => runCaptured(['compare', '--out', 'out', ...args], { cwd });
const written = () => parseDocument(JSON.parse(readFileSync(join(cwd, 'out/run.json'), 'utf8')));

describe('compare --history', () => {
  it('misses no run of the newest beside each of those before it', async () => {
    for (let day = 1; day <= 4; day++) write(day);
    const { stdout } = await compare('--history', 'history');
    expect(stdout).toContain('INCONCLUSIVE');
    expect(stdout).toContain('Run by run');
    expect(stdout).not.toContain('missing');
  });

  it('ends with 0 where the newest is as fast, and names what is left out', async () => {
    for (let day = 1; day <= 8; day++) write(day);
    write(9, { engine: 'autocannon' });
    write(10, { label: '1.5' });
    writeFileSync(join(cwd, 'history/notes.json'), '{}');
    writeFileSync(join(cwd, 'history/3/run-1.json'), '{}');
    const { exitCode, stdout, stderr } = await compare('--history', 'history', '--last', '5');
    expect(stdout).toContain('EQUIVALENT');
    expect(stdout).toContain('Left out, engine autocannon (not native): history/9/run.json.');
    expect(stderr).toContain('left out: history/notes.json: Not a run document');
    expect(stderr).not.toContain('run-1.json');
    expect(exitCode).toBe(0);
    expect(written()).toMatchObject({
      kind: 'comparison',
      verdict: 'equivalent',
      runs: { a: { length: 5 }, b: { length: 2 } },
      sides: { a: { name: 'the 5 before' }, b: { name: '2026-11-08T10:00:00.000Z and 1.5' } },
    });
  });

  it('ends with 1 where it is slower, and with 3 where too few runs are there', async () => {
    for (let day = 1; day <= 4; day++) write(day);
    const few = await compare('--history', 'history');
    expect(few.exitCode).toBe(3);
    expect(few.stdout).toContain('1 more needed');
    for (let day = 5; day <= 9; day++) write(day, { slower: day > 8 ? 1.2 : 1 });
    const { exitCode, stdout } = await compare('--history', 'history');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('WORSE');
    const wide = await compare('--history', 'history', '--margin', '30');
    expect(wide.exitCode).toBe(0);
  });

  it.each([
    ['a run', ['--history', 'history', '--base', 'a.json'], "cannot be used with option '--base"],
    ['no number', ['--history', 'history', '--last', '0'], 'must be a positive integer, not "0"'],
    ['no history', ['a', 'b', '--last', '3'], '--last is for --history.'],
    ['a missing folder', ['--history', 'nowhere'], 'nowhere: there is no such file'],
    ['an empty folder', ['--history', '.'], 'There is no document of load'],
  ])('refuses %s', async (_, args, message) => {
    const { exitCode, stderr } = await compare(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
