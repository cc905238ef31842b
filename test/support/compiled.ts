import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll } from 'vitest';
import { temporaryFolderOfFile } from './temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The package as published, compiled to a temporary folder: worker threads need it. */
export interface Compiled {
  /** Imports a module of it by its path in `src/`, such as `load/index.js`. */
  load<T>(module: string): Promise<T>;
  path(module: string): string;
}

/** Compiles it before the tests of a file; to be called outside of them. */
export function compiledPackage(): Compiled {
  const folder = temporaryFolderOfFile();
  beforeAll(() => compileTo(folder));
  const path = (module: string): string => join(folder, 'dist', module);
  return {
    load: <T>(module: string) => import(pathToFileURL(path(module)).href) as Promise<T>,
    path,
  };
}

function compileTo(folder: string): void {
  for (const name of ['data', 'node_modules', 'package.json', 'suites']) {
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
      '--declaration',
      'false',
      '--outDir',
      join(folder, 'dist'),
    ],
    { cwd: ROOT, stdio: 'pipe' },
  );
}
