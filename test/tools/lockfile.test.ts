import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { missingPlatforms } from '../../tools/complete-lockfile.mjs';

const LOCKFILE = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');

test('package-lock.json has no download address', () => {
  expect(LOCKFILE).toContain('"lockfileVersion"');
  expect(LOCKFILE).not.toContain('"resolved"');
});

test('package-lock.json is whole: `npm ci` refuses one without every optional platform package', () => {
  const missing = missingPlatforms(JSON.parse(LOCKFILE).packages).map(({ path }) => path);
  expect(missing, 'run `node tools/complete-lockfile.mjs`').toEqual([]);
});

test('a platform package that the lockfile lacks is found beside its siblings', () => {
  const entry = { version: '1.0.0' };
  const optionalDependencies = { '@x/linux-x64-gnu': '1.0.0', '@x/darwin-arm64': '1.0.0' };
  const found = (packages: Record<string, { version: string }>): string[] =>
    missingPlatforms(packages).map(({ path }) => path);
  expect(
    found({
      'node_modules/x': { ...entry, optionalDependencies } as { version: string },
      'node_modules/@x/linux-x64-gnu': entry,
    }),
  ).toEqual(['node_modules/@x/darwin-arm64']);
  expect(
    found({
      'node_modules/a/node_modules/@x/x': { ...entry, optionalDependencies } as { version: string },
      'node_modules/a/node_modules/@x/linux-x64-gnu': entry,
      'node_modules/a/node_modules/@x/darwin-arm64': entry,
    }),
  ).toEqual([]);
});
