import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The archive of `npm pack`, and the paths in it. */
export interface PackedFile {
  readonly archive: string;
  readonly files: readonly string[];
}

let packed: PackedFile | undefined;

/** Packs this package, once for each test file; dist/ has to be built. */
function packOnce(): PackedFile {
  if (packed) return packed;
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-packed-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  // Its scripts would build dist/ again, under other tests that use it.
  const output = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
    { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [{ filename, files }] = JSON.parse(output) as [
    { filename: string; files: { path: string }[] },
  ];
  packed = { archive: join(folder, filename), files: files.map(({ path }) => path) };
  return packed;
}

/**
 * Installs the packed file in a project as npm does, but without a registry: what it depends on is that of this
 * repository.
 *
 * @returns the archive, and what is in it
 */
export function installPackage(project: string): PackedFile {
  const { archive, files } = packOnce();
  const installed = join(project, 'node_modules/fareproof');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', archive, '--strip-components=1', '-C', installed]);
  mkdirSync(join(project, 'node_modules/.bin'));
  symlinkSync('../fareproof/bin/fareproof.js', join(project, 'node_modules/.bin/fareproof'));
  // Types of Node are not among it.
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; devOptional?: true; optional?: true; peer?: true }>;
  };
  for (const [path, { dev, devOptional, optional, peer }] of Object.entries(packages)) {
    if (path === '' || dev || devOptional || optional || peer) continue;
    mkdirSync(dirname(join(project, path)), { recursive: true });
    // Not a link: a folder of its own finds its packages as an installed one does.
    cpSync(join(ROOT, path), join(project, path), { recursive: true });
  }
  return { archive, files };
}
