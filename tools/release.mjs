// Releases the version that package.json names: dates its part of CHANGELOG.md, commits and tags, packs the package,
// builds the image, and publishes them. What cannot be undone comes last.
//
//   npm run release -- --dry-run                    shows all of it, and changes nothing
//   npm run release -- --image example.com/me/name  pushes the image, too

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** Files that name the version, too. @type {readonly (readonly [file: string, version: RegExp])[]} */
const NAMED = [
  ['Dockerfile', /image\.version="([^"]+)"/g],
  ['README.md', /fareproof-(\d[\w.-]*)\.tgz/g],
  ['docs/getting-started.md', /fareproof-(\d[\w.-]*)\.tgz/g],
  ['docs/ci.md', /fareproof-(\d[\w.-]*)\.tgz/g],
];

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, image: { type: 'string' } },
});
const isDry = values['dry-run'];

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const tag = `v${version}`;
const image = `${values.image ?? name}:${version}`;
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const heading = `## [${version}] - unreleased\n`;
const [, after = ''] = changelog.split(heading);
const [notes = ''] = after.split(/^## /m);

/**
 * Output of a command.
 *
 * @param {string} command
 * @param {readonly string[]} args
 */
function outputOf(command, ...args) {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Reasons for which this cannot be released. */
function problems() {
  const others = NAMED.flatMap(([file, pattern]) =>
    [...readFileSync(file, 'utf8').matchAll(pattern)]
      .filter(([, named]) => named !== version)
      .map(([, named]) => `${file} names version ${named}, and package.json ${version}`),
  );
  return [
    ...(notes.trim() === '' ? [`CHANGELOG.md has nothing below "${heading.trim()}"`] : []),
    ...(outputOf('git', 'status', '--porcelain') === '' ? [] : ['there are uncommitted changes']),
    ...(outputOf('git', 'tag', '--list', tag) === '' ? [] : [`the tag ${tag} exists`]),
    ...others,
  ];
}

/** Files and size of the package; `npm run release` has built it. */
function packageInWords() {
  const packed = outputOf('npm', 'pack', '--dry-run', '--ignore-scripts', '--json');
  const [{ filename, size, entryCount }] = JSON.parse(packed);
  return `${filename}, ${Math.round(size / 1000)} kB, ${entryCount} files`;
}

const archive = `${name}-${version}.tgz`;
const date = new Date().toISOString().slice(0, 10);

/** @type {readonly (readonly [string, ...string[]])[]} */
const commands = [
  ['git', 'commit', '--all', '--message', `Release ${version}`],
  ['git', 'tag', '--annotate', tag, '--cleanup', 'verbatim', '--message', `${version}\n\n${notes}`],
  ['npm', 'pack', '--ignore-scripts'],
  ['docker', 'build', '--tag', image, '.'],
  ['git', 'push', '--follow-tags'],
  ...(values.image === undefined ? [] : [/** @type {const} */ (['docker', 'push', image])]),
  ['npm', 'publish', archive],
];

const found = problems();
console.log(`tag        ${tag}`);
console.log(`image      ${image}`);
if (isDry) console.log(`package    ${packageInWords()}`);
console.log(`CHANGELOG  ## [${version}] - ${date}\n\n${notes.trim()}\n`);
for (const problem of found) console.error(`not ready: ${problem}`);
if (found.length > 0) process.exitCode = 1;
else if (!isDry)
  writeFileSync('CHANGELOG.md', changelog.replace(heading, `## [${version}] - ${date}\n`));
for (const [command, ...args] of found.length > 0 ? [] : commands) {
  const shown = args.map((one) => (one.includes('\n') ? "'...'" : one)).join(' ');
  console.log(`${isDry ? 'would run' : 'runs'}  ${command} ${shown}`);
  if (!isDry) execFileSync(command, args, { stdio: 'inherit' });
}
