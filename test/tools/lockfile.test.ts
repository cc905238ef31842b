import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const LOCKFILE = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');

interface Entry {
  readonly version: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Entries of a lockfile by path; the package itself has the path ''. */
type Packages = Readonly<Record<string, Entry>>;

const { packages: PACKAGES }: { packages: Packages } = JSON.parse(LOCKFILE);

const PLATFORM =
  /[/-](?:android|darwin|freebsd|linux|openharmony|win32)-(?:arm64|arm|x64|ia32|ppc64|riscv64|s390x)(?:-\w+)?$/;

/**
 * Paths of optional platform packages that have no entry. They come in one version with the package that
 * wants them and stand in one folder; the first of them that is there says which.
 */
function missingPlatforms(packages: Packages): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) => {
    const wanted = Object.entries(optionalDependencies).filter(([name]) => PLATFORM.test(name));
    const folders = [`${path}/node_modules/`, path.replace(/[^/]*$|@[^/]*\/[^/]*$/, '')];
    const folder = folders.find((one) =>
      wanted.some(([name, version]) => packages[one + name]?.version === version),
    );
    if (folder === undefined) return [];
    return wanted.map(([name]) => folder + name).filter((one) => !(one in packages));
  });
}

const withoutChecksum = (packages: Packages): string[] =>
  Object.entries(packages).flatMap(([path, { integrity }]) =>
    path === '' || integrity?.startsWith('sha512-') ? [] : path,
  );

test('package-lock.json has no download address', () => {
  expect(LOCKFILE).toContain('"lockfileVersion"');
  expect(LOCKFILE).not.toContain('"resolved"');
});

test('package-lock.json is whole: `npm ci` refuses one without every optional platform package', () => {
  expect(missingPlatforms(PACKAGES), 'choose another version of the package').toEqual([]);
});

test('package-lock.json has a checksum for each package', () => {
  expect(Object.keys(PACKAGES).length).toBeGreaterThan(100);
  expect(withoutChecksum(PACKAGES), 'choose another version of the package').toEqual([]);
});

test('an entry without a checksum is found', () => {
  const entry = { version: '1.0.0' };
  expect(withoutChecksum({ '': entry, 'node_modules/x': entry })).toEqual(['node_modules/x']);
});

test('a platform package that the lockfile lacks is found beside its siblings', () => {
  const entry = { version: '1.0.0' };
  const optionalDependencies = { '@x/linux-x64-gnu': '1.0.0', '@x/darwin-arm64': '1.0.0' };
  expect(
    missingPlatforms({
      'node_modules/x': { ...entry, optionalDependencies },
      'node_modules/@x/linux-x64-gnu': entry,
    }),
  ).toEqual(['node_modules/@x/darwin-arm64']);
  expect(
    missingPlatforms({
      'node_modules/a/node_modules/@x/x': { ...entry, optionalDependencies },
      'node_modules/a/node_modules/@x/linux-x64-gnu': entry,
      'node_modules/a/node_modules/@x/darwin-arm64': entry,
    }),
  ).toEqual([]);
});
