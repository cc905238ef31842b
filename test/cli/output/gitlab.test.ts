import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { reportToGitlab } from '../../../src/cli/output/gitlab.ts';
import { serviceSample } from '../../report/samples/conformance-sample.ts';
import { capturedIo } from '../../support/captured-io.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

interface Entry {
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: string;
  readonly location: { readonly path: string };
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
    [{}, '/etc/target.yaml', '.gitlab-ci.yml'],
    [{}, '../target.yaml', '.gitlab-ci.yml'],
  ])('with %o and the profile %s entries are at %s', async (env, target, path) => {
    const entries = await entriesFor(env, target);
    expect(new Set(entries.map(({ location }) => location.path))).toEqual(new Set([path]));
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
