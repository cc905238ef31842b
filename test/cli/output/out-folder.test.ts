import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeProfile, startServer } from '../../../src/server/index.ts';
import { loadSample } from '../../report/samples/load-sample.ts';
import { runCaptured } from '../../support/captured-io.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const TARGET = ['--target', 'target.yaml'];
const LOADS = ['load', ...TARGET, '--duration', '100ms', '--warmup', '0'];
const SIDES = ['--base', 'base.json', '--candidate', 'base.json'];

/** A folder with a document of load, a text file, and the profile of a server whose requests are counted. */
async function place(act: (cwd: string, requests: () => number) => Promise<void>): Promise<void> {
  const cwd = temporaryFolder();
  let requests = 0;
  const server = await startServer({ accessLog: () => requests++ });
  try {
    writeFileSync(join(cwd, 'target.yaml'), JSON.stringify(describeProfile(server)));
    writeFileSync(join(cwd, 'base.json'), JSON.stringify(loadSample(3)));
    writeFileSync(join(cwd, 'file.txt'), '');
    await act(cwd, () => requests);
  } finally {
    await server.close(0);
  }
}

it.each([
  ['load', LOADS],
  ['load --runs', [...LOADS, '--runs', '2']],
  ['load --find-max', [...LOADS, '--find-max', 'p99<1s']],
  ['check', ['check', ...TARGET, '--suite', 'smoke']],
  ['certify', ['certify']],
  ['compare', ['compare', ...SIDES]],
  ['compare --self-test', ['compare', '--self-test', ...TARGET, '--runs', '2']],
  ['bench', ['bench', '--duration', '1ms']],
])('%s finds a folder that takes no files before it sends anything', async (_, args) => {
  await place(async (cwd, requests) => {
    const ended = await runCaptured([...args, '--out', 'file.txt/out'], { cwd });
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toMatch(/^error RUN_FOLDER_NOT_WRITABLE: .*file\.txt\/out: .*--out\.$/m);
    expect(ended.stdout).toBe('');
    expect(requests()).toBe(0);
  });
});

const RENDERINGS = ['junit.xml', 'report.html', 'summary.md'];
const KEPT = ['mine.txt', 'run.json'];

it.each([
  ['an unknown flag', [...LOADS, '--rat', '5'], 2],
  ['a wrong value', [...LOADS, '--rate', 'fast'], 2],
  ['a profile that is missing', ['check', '--target', 'none.yaml'], 2],
  ['a load that is invalid', ['load', '--target', 'gone.yaml', '--duration', '100ms'], 3],
  ['a check of a target that is gone', ['check', '--target', 'gone.yaml', '--rule', 'record/*'], 3],
])('%s leaves no rendering of a former run, and all else', async (_, args, code) => {
  await place(async (cwd) => {
    const profile = JSON.parse(readFileSync(join(cwd, 'target.yaml'), 'utf8')) as object;
    const gone = { ...profile, baseUrl: 'http://127.0.0.1:1', control: undefined };
    writeFileSync(join(cwd, 'gone.yaml'), JSON.stringify(gone));
    const out = join(cwd, 'out');
    mkdirSync(out);
    for (const name of [...RENDERINGS, ...KEPT]) writeFileSync(join(out, name), 'former');
    const ended = await runCaptured([...args, '--out', 'out'], { cwd });
    expect(ended.exitCode).toBe(code);
    for (const name of RENDERINGS.filter((one) => existsSync(join(out, one))))
      expect(readFileSync(join(out, name), 'utf8')).not.toBe('former');
    expect(readdirSync(out)).toEqual(expect.arrayContaining(KEPT));
    expect(readFileSync(join(out, 'mine.txt'), 'utf8')).toBe('former');
  });
});

it('a plan, which writes no run, leaves all as it is, and a mistake makes no folder', async () => {
  await place(async (cwd) => {
    const out = join(cwd, 'out');
    await runCaptured([...LOADS, '--rate', 'fast', '--out', 'out/deep'], { cwd });
    expect(existsSync(out)).toBe(false);
    mkdirSync(out);
    writeFileSync(join(out, 'junit.xml'), 'former');
    await runCaptured(['check', ...TARGET, '--rule', 'record/*', '--plan', '--out', 'out'], {
      cwd,
    });
    expect(readFileSync(join(out, 'junit.xml'), 'utf8')).toBe('former');
  });
});
