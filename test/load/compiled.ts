import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The package as it ships, compiled to a folder of its own: threads can be had from nothing else. */
export interface Compiled {
  /** Imports a module of it, named from `src/`, such as `load/index.js`. */
  load<T>(module: string): Promise<T>;
  path(module: string): string;
  remove(): void;
}

export function compile(): Compiled {
  const folder = mkdtempSync(join(tmpdir(), 'fareproof-compiled-'));
  for (const name of ['node_modules', 'package.json', 'suites']) {
    symlinkSync(join(ROOT, name), join(folder, name));
  }
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(
    process.execPath,
    [
      compiler,
      '-p',
      'tsconfig.build.json',
      '--noCheck',
      '--isolatedDeclarations',
      'false',
      '--declaration',
      'false',
      '--outDir',
      join(folder, 'dist'),
    ],
    { cwd: ROOT, stdio: 'pipe' },
  );
  const path = (module: string): string => join(folder, 'dist', module);
  return {
    load: <T>(module: string) => import(pathToFileURL(path(module)).href) as Promise<T>,
    path,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
