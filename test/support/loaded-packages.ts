import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A static import or re-export of values, in a source or in a bundle. */
const IMPORT =
  /(?:^|;)\s*(?:(?:import(?! type)|export)\b[^;'"]*?\bfrom|import)\s*["']([^"']+)["']/gm;

/** Packages that are loaded with a file, by the static imports that lead from it. */
export function loadedPackages(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file) || !existsSync(file)) return packages;
  seen.add(file);
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    if (specifier.startsWith('node:')) continue;
    if (!specifier.startsWith('.')) packages.add(specifier);
    else
      for (const name of loadedPackages(join(dirname(file), specifier), seen)) packages.add(name);
  }
  return packages;
}
