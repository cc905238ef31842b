import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SCRIPT = join(ROOT, 'tools/release.mjs');

const ARCHIVE = 'npm install ./fareproof-1.2.3.tgz\n';
const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ name: 'fareproof', version: '1.2.3' }),
  'CHANGELOG.md':
    '# Changelog\n\n## [1.2.3] - unreleased\n\n- Something new.\n\n## [1.2.2] - 2026-01-01\n\n- Old.\n',
  Dockerfile: 'LABEL org.opencontainers.image.version="1.2.3"\n',
  'README.md': ARCHIVE,
  'docs/ci.md': ARCHIVE,
  'docs/getting-started.md': ARCHIVE,
};

/** A repository that can be released, with some files in place of its own. */
function repository(changed: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'docs'));
  for (const [name, text] of Object.entries({ ...FILES, ...changed }))
    writeFileSync(join(folder, name), text);
  git(folder, 'init', '--quiet');
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message', 'First');
  return folder;
}

const AUTHOR = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', [...AUTHOR, ...args], { cwd, encoding: 'utf8' });
}

/** Commands that a release runs, in place of programs that reach others; each prints its arguments. */
function release(
  cwd: string,
  ...args: readonly string[]
): { status: number | null; output: string } {
  const bin = temporaryFolder();
  for (const name of ['docker', 'npm', 'git']) {
    const real = name === 'git' ? '[ "$1" = push ] || exec git "$@"\n' : '';
    const pack =
      name === 'npm'
        ? '[ "$2" != --dry-run ] || { echo \'[{"filename":"fareproof-1.2.3.tgz","size":2000,"entryCount":3}]\'; exit; }\n'
        : '';
    const path = join(bin, name);
    writeFileSync(path, `#!/bin/sh\nPATH=\${PATH#*:}\n${real}${pack}echo "ran ${name} $*"\n`);
    chmodSync(path, 0o755);
  }
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env['PATH']}`,
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.com',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.com',
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
    cwd,
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

describe('a release', () => {
  it('shows tag, image, package, CHANGELOG and commands with --dry-run, and changes nothing', () => {
    const folder = repository();
    const { status, output } = release(folder, '--dry-run');
    expect(status).toBe(0);
    expect(output).toMatch(/^tag +v1\.2\.3$/m);
    expect(output).toMatch(/^image +fareproof:1\.2\.3$/m);
    expect(output).toMatch(/^package +fareproof-1\.2\.3\.tgz, 2 kB, 3 files$/m);
    expect(output).toMatch(
      /^CHANGELOG +## \[1\.2\.3\] - \d{4}-\d\d-\d\d\n\n- Something new\.\n\n/m,
    );
    expect(output).toContain('would run  npm publish fareproof-1.2.3.tgz');
    expect(output).not.toMatch(/^ran |Old|docker push/m);
    expect(git(folder, 'status', '--porcelain') + git(folder, 'tag')).toBe('');
  });

  it('dates the CHANGELOG, tags the commit, and publishes last', () => {
    const folder = repository();
    const { status, output } = release(folder, '--image', 'example.com/me/fareproof');
    expect(status).toBe(0);
    expect(output.match(/^ran .*$/gm)).toEqual([
      'ran npm pack --ignore-scripts',
      'ran docker build --tag example.com/me/fareproof:1.2.3 .',
      'ran git push --follow-tags',
      'ran docker push example.com/me/fareproof:1.2.3',
      'ran npm publish fareproof-1.2.3.tgz',
    ]);
    expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toMatch(/^## \[1\.2\.3\] - \d{4}-/m);
    expect(git(folder, 'log', '--format=%s', '-1', 'v1.2.3')).toBe('Release 1.2.3\n');
    expect(git(folder, 'tag', '--list', '--format=%(contents)')).toContain('Something new.');
  });

  it.each([
    [
      'another version in a file',
      { Dockerfile: 'image.version="1.2.2"' },
      'Dockerfile names version 1.2.2',
    ],
    ['no notes', { 'CHANGELOG.md': '# Changelog\n' }, 'CHANGELOG.md has nothing below'],
  ])('is refused with %s', (_, changed, said) => {
    const folder = repository(changed);
    const { status, output } = release(folder);
    expect(status).toBe(1);
    expect(output).toContain(`not ready: ${said}`);
    expect(output).not.toMatch(/^ran /m);
  });

  it('is refused with uncommitted changes, and twice', () => {
    const folder = repository();
    git(folder, 'tag', 'v1.2.3');
    writeFileSync(join(folder, 'new.txt'), '');
    const { status, output } = release(folder);
    expect(status).toBe(1);
    expect(output).toContain('not ready: there are uncommitted changes');
    expect(output).toContain('not ready: the tag v1.2.3 exists');
  });
});
