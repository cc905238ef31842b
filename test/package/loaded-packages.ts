import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Packages that are loaded with a bundled file, by the static imports that lead from it. */
export function loadedPackages(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file)) return packages;
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, specifier = ''] of source.matchAll(/\b(?:from|import)\s*"([^"]+)"/g)) {
    if (specifier.startsWith('node:')) continue;
    if (!specifier.startsWith('.')) packages.add(specifier);
    else
      for (const name of loadedPackages(join(dirname(file), specifier), seen)) packages.add(name);
  }
  return packages;
}
