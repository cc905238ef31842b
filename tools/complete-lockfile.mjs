// Completes package-lock.json with the optional platform packages that a registry did not answer
// for when it was written (a mirror may hold those of its own platform only). Without them `npm ci`
// refuses the lockfile. `npm install` keeps the entries.
//
//   node tools/complete-lockfile.mjs

import { readFileSync, realpathSync, writeFileSync } from 'node:fs';

/**
 * @typedef {object} Entry
 * @property {string} version
 * @property {string} [license]
 * @property {Record<string, string>} [engines]
 * @property {Record<string, string>} [optionalDependencies]
 * @typedef {Record<string, Entry>} Packages entries of a lockfile by path
 * @typedef {{ path: string, name: string, version: string, sibling: Entry }} Missing
 */

const PLATFORM =
  /[/-](?<os>android|darwin|freebsd|linux|openharmony|win32)-(?<cpu>arm64|arm|x64|ia32|ppc64|riscv64|s390x)(-(?<abi>\w+))?$/;

/**
 * Platform packages come in one version with the package that wants them and stand in one folder;
 * the first of them that is there says which.
 *
 * @param {Packages} packages
 * @returns {Missing[]}
 */
export function missingPlatforms(packages) {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) => {
    const wanted = Object.entries(optionalDependencies).filter(([name]) => PLATFORM.test(name));
    const folders = [`${path}/node_modules/`, path.replace(/[^/]*$|@[^/]*\/[^/]*$/, '')];
    const folder = folders.find((one) =>
      wanted.some(([name, version]) => packages[one + name]?.version === version),
    );
    if (folder === undefined) return [];
    const sibling = wanted.map(([name]) => packages[folder + name]).find((entry) => entry);
    if (!sibling) return [];
    return wanted
      .map(([name, version]) => ({ path: folder + name, name, version, sibling }))
      .filter((one) => !(one.path in packages));
  });
}

/** @param {Missing} missing */
function entryOf({ name, version, sibling }) {
  const { os, cpu, abi } = PLATFORM.exec(name)?.groups ?? {};
  return {
    version,
    cpu: [cpu],
    dev: true,
    ...(os === 'linux' && abi ? { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] } : {}),
    license: sibling.license,
    optional: true,
    os: [os],
    ...(sibling.engines ? { engines: sibling.engines } : {}),
  };
}

function main() {
  const file = new URL('../package-lock.json', import.meta.url);
  const lockfile = JSON.parse(readFileSync(file, 'utf8'));
  const missing = missingPlatforms(lockfile.packages);
  for (const one of missing) lockfile.packages[one.path] = entryOf(one);
  lockfile.packages = Object.fromEntries(
    Object.entries(lockfile.packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
  );
  writeFileSync(file, `${JSON.stringify(lockfile, null, 2)}\n`);
  console.log(`${missing.length} packages added`);
}

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) main();
