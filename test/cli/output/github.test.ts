import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { reportToGithub } from '../../../src/cli/output/github.ts';
import type { ConformanceDocument } from '../../../src/documents/conformance.ts';
import type { LoadDocument } from '../../../src/documents/load.ts';
import { serviceSample } from '../../report/samples/conformance-sample.ts';
import { loadSample } from '../../report/samples/load-sample.ts';
import { capturedIo, runCaptured } from '../../support/captured-io.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const check: ConformanceDocument = serviceSample();
const load: LoadDocument = loadSample(2);

async function tell(env: Record<string, string>, flags: { json?: true } = {}, document = check) {
  const { io, captured } = capturedIo({ env, cwd });
  await reportToGithub(document, { ...flags, folder: join(cwd, 'out') }, io);
  return captured;
}

describe('on GitHub Actions', () => {
  it('each broken rule is an annotation on stdout', async () => {
    const { stdout, stderr } = await tell({ GITHUB_ACTIONS: 'true' });
    expect(stdout).toMatch(/^::error title=signature\/zero-kept::/);
    expect(stdout).toMatch(/^::warning title=record\/echoes-request::/m);
    expect(stderr).toBe('');
  });

  it.each([
    [1, 'error'],
    [3, 'warning'],
  ] as const)('exit code %d without an error is an annotation', async (code, level) => {
    const rules = check.rules.filter(({ verdict }) => verdict === 'untestable');
    const { diagnosis: _, waivers: _waivers, ...rest } = check;
    const document = { ...rest, rules, exit: { code, reason: 'no rule was judged' } };
    const { stdout } = await tell({ GITHUB_ACTIONS: 'true' }, {}, document);
    expect(stdout).toBe(`::${level} title=exit code::Exit ${code}: no rule was judged\n`);
  });

  it('stdout with JSON gets nothing else', async () => {
    const { stdout, stderr } = await tell({ GITHUB_ACTIONS: 'true' }, { json: true });
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^::error title=/);
  });

  it('summaries are appended, one after the other', async () => {
    const path = join(cwd, 'summary.md');
    await tell({ GITHUB_STEP_SUMMARY: path });
    const { io } = capturedIo({ env: { GITHUB_STEP_SUMMARY: path }, cwd });
    await reportToGithub(load, { folder: cwd }, io);
    const summary = await readFile(path, 'utf8');
    expect(summary.match(/^## /gm)).toHaveLength(2);
    expect(summary).toContain('Waiver problems');
  });

  it.each([
    ['check', check, 'verdict=not-conformant\njudged=98\nreport=out/report.html\n'],
    ['load', load, 'verdict=fell-short\njudged=\nreport=out/report.html\n'],
  ])('%s sets the outputs of its step', async (_name, document, outputs) => {
    const path = join(cwd, 'outputs');
    await tell({ GITHUB_OUTPUT: path }, {}, document as ConformanceDocument);
    expect(await readFile(path, 'utf8')).toBe(outputs);
  });

  it('a line break in the name of the folder starts no other output', async () => {
    const path = join(cwd, 'outputs');
    const { io } = capturedIo({ env: { GITHUB_OUTPUT: path }, cwd });
    const odd = { folder: join(cwd, 'a\nverdict=held') };
    await reportToGithub(check, odd, io);
    expect((await readFile(path, 'utf8')).match(/^verdict=/gm)).toHaveLength(1);
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown flag', ['certify', '--waivers', 'w.yaml'], /unknown option '--waivers'/],
    [
      'a profile that is missing',
      ['check', '--target', 'none%.yaml'],
      /error FILE_NOT_READ: none%25\.yaml/,
    ],
  ])('%s is an annotation, and in the summary', async (_, args, message) => {
    const path = join(cwd, 'summary.md');
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path };
    const { stderr } = await runCaptured([...args, '--json'], { cwd, env });
    expect(stderr.split('\n').filter((line) => line.startsWith('::'))).toEqual([
      expect.stringMatching(message),
    ]);
    expect(await readFile(path, 'utf8')).toMatch(/^## Fareproof\n\nerror/);
  });

  it('an error is said where only one of both is there', async () => {
    const path = join(cwd, 'summary.md');
    const told = async (env: Record<string, string>): Promise<string> =>
      (await runCaptured(['check', '--target', 'none.yaml', '--json'], { cwd, env })).stderr;
    expect(await told({ GITHUB_ACTIONS: 'true' })).toMatch(/^::error title=Fareproof::/m);
    expect(await told({ GITHUB_STEP_SUMMARY: path })).not.toContain('::error');
    expect(await readFile(path, 'utf8')).toContain('none.yaml');
  });

  it('a summary that cannot be written is noted, without error', async () => {
    const { stderr } = await tell({ GITHUB_STEP_SUMMARY: cwd });
    expect(stderr).toContain('GITHUB_STEP_SUMMARY: EISDIR');
  });
});

it.each([{}, { GITHUB_ACTIONS: '' }, { GITHUB_ACTIONS: 'false' }, { GITHUB_STEP_SUMMARY: '' }])(
  'elsewhere (%o) nothing is said',
  async (env) => {
    expect(await tell(env as Record<string, string>)).toEqual({ stdout: '', stderr: '' });
  },
);
