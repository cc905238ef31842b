import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { reportToGitlab } from '../../../src/cli/output/gitlab.ts';
import type { RunDocument } from '../../../src/documents/run-document.ts';
import { toCodeQuality } from '../../../src/report/index.ts';
import { ALL_SAMPLES } from '../../report/samples/all-samples.ts';
import { serviceSample } from '../../report/samples/conformance-sample.ts';
import { HOSTILE_TEXTS, withText } from '../../report/samples/hostile-text.ts';
import { smallConformance } from '../../report/samples/small-samples.ts';
import { capturedIo, runCaptured } from '../../support/captured-io.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Files of the repository. */
const FILES = ['conformance/target.yaml', 'ci/jobs.yml', '..odd/target.yaml'];

let cwd: string;
beforeEach(async () => {
  cwd = temporaryFolder();
  for (const file of FILES) {
    await mkdir(join(cwd, dirname(file)), { recursive: true });
    await writeFile(join(cwd, file), '');
  }
});

interface Entry {
  readonly description: string;
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: string;
  readonly location: { readonly path: string };
}

/** An entry with each field that GitLab reads, in the form that it asks for. */
const VALID_ENTRY = {
  description: expect.stringMatching(/^.+$/u),
  check_name: expect.stringMatching(/./u),
  fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
  severity: expect.stringMatching(/^(info|minor|major|critical|blocker)$/),
  location: { path: 'a/target.yaml', lines: { begin: 1 } },
};

function expectValid(document: RunDocument): void {
  const entries = JSON.parse(toCodeQuality(document, 'a/target.yaml')) as Entry[];
  expect(entries).toEqual(entries.map(() => VALID_ENTRY));
  const fingerprints = new Set(entries.map(({ fingerprint }) => fingerprint));
  expect(fingerprints.size).toBe(entries.length);
}

async function entriesFor(env: Record<string, string>, target?: string): Promise<Entry[]> {
  const { io } = capturedIo({ env: { GITLAB_CI: 'true', ...env }, cwd });
  await reportToGitlab(serviceSample(), { folder: cwd, target }, io);
  return JSON.parse(await readFile(join(cwd, 'code-quality.json'), 'utf8')) as Entry[];
}

describe('in GitLab CI', () => {
  it('each broken rule is an entry at the target profile', async () => {
    const entries = await entriesFor({ CI_PROJECT_DIR: cwd }, 'conformance/target.yaml');
    expect(entries).toContainEqual(
      expect.objectContaining({
        check_name: 'signature/zero-kept',
        severity: 'major',
        location: { path: 'conformance/target.yaml', lines: { begin: 1 } },
      }),
    );
    expect(new Set(entries.map(({ fingerprint }) => fingerprint)).size).toBe(entries.length);
  });

  it('an entry keeps its fingerprint from run to run', async () => {
    const [first, second] = [await entriesFor({}), await entriesFor({})];
    expect(second).toEqual(first);
  });

  it.each([
    [{}, undefined, '.gitlab-ci.yml'],
    [{ CI_CONFIG_PATH: 'ci/jobs.yml' }, undefined, 'ci/jobs.yml'],
    [{ CI_CONFIG_PATH: './ci/jobs.yml' }, undefined, 'ci/jobs.yml'],
    [{ CI_CONFIG_PATH: 'jobs.yml@group/project' }, undefined, '.gitlab-ci.yml'],
    [{ CI_CONFIG_PATH: 'https://ci.example/jobs.yml' }, undefined, '.gitlab-ci.yml'],
    [{}, './conformance/target.yaml', 'conformance/target.yaml'],
    [{}, '..odd/target.yaml', '..odd/target.yaml'],
    [{}, 'https://api.example', '.gitlab-ci.yml'],
    [{}, 'embedded', '.gitlab-ci.yml'],
    [{}, '/etc/target.yaml', '.gitlab-ci.yml'],
    [{}, '../target.yaml', '.gitlab-ci.yml'],
  ])('with %o and the profile %s entries are at %s', async (env, target, path) => {
    const entries = await entriesFor(env, target);
    expect(new Set(entries.map(({ location }) => location.path))).toEqual(new Set([path]));
  });
});

describe('GitLab accepts the findings of', () => {
  it.each(Object.entries(ALL_SAMPLES))('a %s', (_, sample) => {
    expectValid(sample);
  });

  it.each(HOSTILE_TEXTS)('a document with %j in it', (text) => {
    expectValid(withText(smallConformance(), text));
  });
});

it.each([{}, { GITLAB_CI: '' }, { GITLAB_CI: 'false' }])(
  'elsewhere (%o) nothing is written',
  async (env) => {
    const { io } = capturedIo({ env, cwd });
    await reportToGitlab(serviceSample(), { folder: cwd, target: undefined }, io);
    expect(existsSync(join(cwd, 'code-quality.json'))).toBe(false);
  },
);

describe('a command that ends early in GitLab CI', () => {
  const env = { GITLAB_CI: 'true', XDG_STATE_HOME: '/nowhere' };
  const entriesOf = async (): Promise<Entry[]> =>
    JSON.parse(await readFile(join(cwd, 'out/code-quality.json'), 'utf8')) as Entry[];

  it.each<[string, string[], RegExp]>([
    [
      'a profile that is missing',
      ['--target', 'none.yaml'],
      /^fareproof: error FILE_NOT_READ: none/,
    ],
    ['an unknown flag', ['--nonsense'], /^fareproof: error: unknown option '--nonsense'/],
  ])('%s is an entry of the report in --out', async (_, args, message) => {
    const { exitCode } = await runCaptured(['check', '--out', 'out', ...args], { cwd, env });
    expect(exitCode).toBe(2);
    expect(await entriesOf()).toMatchObject([
      { description: expect.stringMatching(message), severity: 'major' },
    ]);
  });

  it('leaves the report of a run as it is', async () => {
    await mkdir(join(cwd, 'out'));
    await writeFile(join(cwd, 'out/code-quality.json'), '[]');
    await runCaptured(['check', '--out', 'out', '--target', 'none.yaml'], { cwd, env });
    expect(await entriesOf()).toEqual([]);
  });

  it('writes nothing elsewhere', async () => {
    const args = ['check', '--out', 'out', '--target', 'none.yaml'];
    await runCaptured(args, { cwd, env: { GITLAB_CI: 'false' } });
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });
});
