import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and those above it. Unlike the recursive mkdir of Node it ends on a file system that
 * takes no folders: there that tries for ever (`/proc`).
 *
 * @param mode permissions of the folders that it creates
 * @returns these folders, the outermost first
 * @throws NodeJS.ErrnoException
 */
export function makeFolder(path: string, mode = 0o777): readonly string[] {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      // Another process may have made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return missing;
}
