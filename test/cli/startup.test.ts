import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Packages that are loaded with a file, by the static imports that lead from it. */
function packagesOf(file: URL, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file.href) || !existsSync(fileURLToPath(file))) return packages;
  seen.add(file.href);
  const source = readFileSync(file, 'utf8');
  for (const [, specifier] of source.matchAll(
    /^(?:import(?! type)|export)\b[^;]*?from '([^']+)'/gms,
  )) {
    if (specifier === undefined || specifier.startsWith('node:')) continue;
    if (!specifier.startsWith('.')) packages.add(specifier);
    else for (const name of packagesOf(new URL(specifier, file), seen)) packages.add(name);
  }
  return packages;
}

it('loads only the command line parser for --version', () => {
  const start = new URL('../../src/cli/launch.ts', import.meta.url);
  expect([...packagesOf(start)]).toEqual(['commander']);
});

it('loads the packages that only some loads need when they need them', () => {
  const packages = packagesOf(new URL('../../src/load/index.ts', import.meta.url));
  expect([...packages].sort()).toEqual(['hdr-histogram-js', 'zod']);
});

it('finds the modules that a file loads', () => {
  const file = new URL('../../src/cli/files/yaml.ts', import.meta.url);
  expect([...packagesOf(file)]).toContain('yaml');
});
