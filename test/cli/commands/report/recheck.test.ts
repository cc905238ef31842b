import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConformanceDocument } from '../../../../src/documents/conformance.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';

const folder = temporaryFolderOfFile();
beforeAll(async () => {
  const rules = ['--rule', 'token/nostr-*', '--rule', 'record/*'];
  await runCaptured(['check', ...rules, '--out', 'run'], { cwd: folder });
});

const recheck = async (file: string): Promise<ConformanceDocument> => {
  const run = await runCaptured(['report', file, '--recheck', '--format', 'json'], { cwd: folder });
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  return JSON.parse(run.stdout) as ConformanceDocument;
};

const readRun = async (): Promise<ConformanceDocument> =>
  JSON.parse(await readFile(join(folder, 'run/run.json'), 'utf8')) as ConformanceDocument;

describe('report --recheck', () => {
  it('gives a run the same verdicts again', async () => {
    const run = await readRun();
    const again = await recheck('run/run.json');
    expect(again.rules.map(({ id, verdict }) => [id, verdict])).toEqual(
      run.rules.map(({ id, verdict }) => [id, verdict]),
    );
    expect(again).toMatchObject({ verdict: 'conformant', summary: run.summary, gaps: run.gaps });
  });

  it('judges an altered run by its altered content', async () => {
    const run = await readRun();
    const exchanges = run.exchanges.map((one) =>
      one.purpose.includes('nostr of 7')
        ? { ...one, response: { ...one.response!, status: 200 } }
        : one,
    );
    await writeFile(join(folder, 'altered.json'), JSON.stringify({ ...run, exchanges }));
    const again = await recheck('altered.json');
    expect(again.verdict).toBe('not-conformant');
    const fallen = again.rules.filter(({ verdict }) => verdict === 'fail');
    expect(fallen.map(({ id }) => id)).toEqual(['token/nostr-length']);
  });

  it('refuses a document without the data to judge again', async () => {
    const { sites: _sites, ...run } = (await readRun()) as ConformanceDocument & { sites: unknown };
    await writeFile(join(folder, 'old.json'), JSON.stringify(run));
    const { exitCode, stderr } = await runCaptured(['report', 'old.json', '--recheck'], {
      cwd: folder,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('error RECHECK_IMPOSSIBLE');
  });
});
