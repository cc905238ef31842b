// Holds the arrows between the rooms of src/ (CONTRIBUTING.md, the table of imports).
//
//   node tools/check-arrows.mjs [root]
//
// Prints a line for each that points the wrong way, `file:line  what  why`, and ends with exit code 1
// if there is any. Imports and re-exports count, types too, dynamic imports, and the addresses of
// workers. Globals, packages and circles of files are held by oxlint, see .oxlintrc.json.

import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderCircles } from './folder-circles.mjs';
import { readArrows, withoutExtension } from './read-arrows.mjs';

/**
 * @typedef {import('./read-arrows.mjs').Arrow} Arrow
 * @typedef {{ file: string, line: number, what: string, why: string }} Violation
 * @typedef {Readonly<Record<string, string>>} Tree source by path from the root
 */

/** Files that checker and server share. */
const SHARED = [
  'signature',
  'catalogue',
  'gaps',
  'behaviour-schema',
  'default-behaviour',
  'error-conditions',
  'limits',
  'duration',
  'loopback',
  'connection-failure',
  'refusal-cause',
  'errors',
  'missing-field',
  'options',
  'suggestion',
  'shape-problems',
  'target-profile',
].map((name) => `src/interface/${name}`);

const AREAS = ['server', 'conformance', 'load', 'report'];

/** Doors of areas, their index.ts, and the ground floor, which has no inside. */
const doorsOf = (/** @type {readonly string[]} */ areas) => [
  'src/documents/',
  'src/interface/',
  'src/files/',
  ...areas.map((area) => `src/${area}/index`),
];
const DOORS = doorsOf([...AREAS, 'redaction', 'spending']);

/** Ground of every area that reaches a target. */
const GROUND = [
  'src/redaction/index',
  'src/spending/index',
  'src/answers/',
  'src/documents/',
  'src/files/',
];

/** Files that a command needs without the rest of their area, which would take time to load. */
const ALONE = ['src/load/options', 'src/conformance/signature/check-signature'];

/**
 * Imports allowed by area. All are beginnings of paths without extension; the first entry that a
 * file matches counts.
 */
const MAY_IMPORT = [
  {
    from: ['bin/'],
    to: ['dist/cli/', 'dist/index'],
    why: 'bin/ is the launcher and nothing else',
  },
  {
    from: SHARED,
    to: SHARED,
    why: 'what checker and server share leads to no message shape',
  },
  {
    from: ['src/interface/'],
    to: ['src/interface/'],
    why: 'src/interface imports nothing but itself',
  },
  {
    from: ['src/documents/'],
    to: ['src/documents/', 'src/interface/'],
    why: 'src/documents imports nothing but itself and src/interface',
  },
  {
    from: ['src/answers/'],
    to: ['src/answers/', 'src/interface/limits'],
    why: 'src/answers imports nothing but itself and the limits, as check and load judge by it',
  },
  {
    from: ['src/files/'],
    to: ['src/files/', 'src/interface/errors'],
    why: 'src/files imports nothing but itself and the errors',
  },
  {
    from: ['src/spending/'],
    to: ['src/spending/', 'src/files/', ...SHARED],
    why: 'spending knows itself, src/files, the limits, errors and the target profile, never a message shape',
  },
  {
    from: ['src/redaction/'],
    to: ['src/redaction/', ...SHARED],
    why: 'redaction knows itself, and of src/interface what checker and server share',
  },
  {
    from: ['src/server/'],
    to: ['src/server/', 'src/interface/'],
    why: 'the server knows itself and src/interface',
  },
  {
    from: ['src/conformance/'],
    to: ['src/conformance/', 'data/', ...GROUND, ...SHARED],
    why: 'the checker shares with the server the signature, the catalogue, gaps, limits, errors and the target profile, never a message shape',
  },
  {
    from: ['src/load/'],
    to: ['src/load/', ...GROUND, 'src/interface/'],
    why: 'load knows itself, src/redaction, src/spending, src/answers, src/documents, src/files and src/interface',
  },
  {
    from: ['src/report/'],
    to: ['src/report/', 'src/documents/', 'src/interface/'],
    why: 'report knows itself, src/documents and src/interface',
  },
  {
    from: ['src/cli/'],
    to: ['src/cli/', 'src/app/', ...doorsOf(['server', 'load', 'report', 'redaction']), ...ALONE],
    why: 'src/cli comes into an area by its index.ts, and to a target by src/app, which has the ledger',
  },
  {
    from: ['src/testing/', 'src/library/'],
    to: ['src/testing/', 'src/library/', 'src/app/', ...DOORS, ...ALONE],
    why: 'src/testing and src/library come into an area by its index.ts',
  },
  {
    from: ['src/app/'],
    to: ['src/app/', ...DOORS, ...ALONE],
    why: 'src/app comes into an area by its index.ts',
  },
  {
    from: ['src/index'],
    to: ['src/library/', ...DOORS],
    why: 'the package is its library, and what areas have behind their index.ts',
  },
];

/** Rooms that only some files may enter. */
const ENTERED_BY = [
  {
    room: 'src/server/speed/',
    from: ['src/server/service-listener', 'src/server/index'],
    why: 'service-listener puts the fast path before the service, which does not know it',
  },
  ...['native', 'autocannon'].map((engine) => ({
    room: `src/load/engine/${engine}/`,
    from: ['src/load/engine/'],
    why: 'nothing outside of src/load/engine knows which engines there are',
  })),
];

/**
 * Files that reach a target as a partner of its profile: who imports one imports the ledger as well, and
 * the types of both leave no way to send without it.
 */
const SPENDING = {
  senders: ['src/conformance/service/http/transport', 'src/load/tokens/access-token'],
  door: 'src/spending/index',
  why: 'what reaches a metered target spends by src/spending',
};

/** Rooms from which no way leads to another, through whatever lies between. */
const NEVER_REACHES = [
  ...[
    { from: 'src/conformance/service/', to: ['src/conformance/client/'] },
    { from: 'src/conformance/client/', to: ['src/conformance/service/'] },
  ].map((rooms) => ({ ...rooms, why: 'service and client judge apart' })),
  {
    from: 'src/conformance/service/contract/',
    to: ['src/conformance/service/runner/'],
    why: 'a check does not know who runs it',
  },
];

/**
 * @param {Tree} tree the files of src/ and bin/
 * @returns {Violation[]}
 */
export function checkArrows(tree) {
  const files = Object.entries(tree).map(([file, source]) => ({
    file,
    ...readArrows(file, source),
  }));
  const arrows = files.flatMap((one) => one.arrows);
  const reach = reachOf(arrows);
  const spenders = new Set(arrows.filter(({ to }) => to === SPENDING.door).map(({ from }) => from));
  const spends = (/** @type {string} */ file) => spenders.has(file);
  return [
    ...files.flatMap(({ file, errors }) => [
      ...errors.map(({ line, message: what }) => ({ file, line, what, why: 'it cannot be read' })),
      ...(MAY_IMPORT.some(({ from }) => startsWithOne(file, from))
        ? []
        : [{ file, line: 1, what: 'belongs to no area', why: `areas are ${AREAS.join(', ')}` }]),
    ]),
    ...arrows.flatMap((arrow) => objectionTo(arrow, reach, spends) ?? []),
    ...folderCircles(arrows).map(({ arrow, circle }) =>
      violationOf(arrow, 'files and folders of one folder form no circle', `, part of ${circle}`),
    ),
  ].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}

/** @param {Violation} violation */
export function formatViolation({ file, line, what, why }) {
  return `${file}:${line}  ${what}  ${why}`;
}

/**
 * @param {Arrow} arrow
 * @param {Reach} reach
 * @param {(file: string) => boolean} spends whether a file imports the ledger
 * @returns {Violation | null}
 */
function objectionTo(arrow, reach, spends) {
  const { from, to, specifier, isData } = arrow;
  const isCli = startsWithOne(from, ['src/cli/', 'bin/']);
  if (specifier === null) {
    return isCli ? null : violationOf(arrow, 'only src/cli may compute an address');
  }
  if (to === null) {
    const isOwn = /^(fareproof(\/|$)|[#/]|file:)/.test(specifier);
    return isOwn
      ? violationOf(arrow, 'modules of src/ refer to each other by relative paths')
      : null;
  }
  const room = MAY_IMPORT.find((one) => startsWithOne(from, one.from));
  const isPure = startsWithOne(from, ['src/interface/', 'src/documents/']);
  if (isData && !isPure) return null;
  if (room && !startsWithOne(to, room.to)) return violationOf(arrow, room.why);
  const gate = ENTERED_BY.find((one) => to.startsWith(one.room) && !from.startsWith(one.room));
  if (gate && !startsWithOne(from, gate.from)) return violationOf(arrow, gate.why);
  if (SPENDING.senders.includes(to) && !spends(from)) return violationOf(arrow, SPENDING.why);
  for (const wall of NEVER_REACHES.filter((one) => from.startsWith(one.from))) {
    const end = reach(to, wall.to);
    if (end !== null)
      return violationOf(arrow, wall.why, end === to ? '' : `, which leads to ${end}`);
  }
  return null;
}

/**
 * @param {Arrow} arrow
 * @param {string} why
 * @param {string} [more]
 * @returns {Violation}
 */
function violationOf({ file, line, specifier, isUrl }, why, more = '') {
  const what = specifier ?? 'a computed address';
  return { file, line, what: `${isUrl ? 'refers to' : 'imports'} ${what}${more}`, why };
}

/**
 * @param {string} path
 * @param {readonly string[]} beginnings
 */
function startsWithOne(path, beginnings) {
  return beginnings.some((beginning) => path.startsWith(beginning));
}

/**
 * @typedef {(start: string, ends: readonly string[]) => string | null} Reach the first file with
 *   such a beginning that imports lead to
 */

/**
 * @param {readonly Arrow[]} arrows
 * @returns {Reach}
 */
function reachOf(arrows) {
  /** @type {Map<string, string[]>} */
  const next = new Map();
  for (const { from, to } of arrows) {
    if (to !== null) next.set(from, [...(next.get(from) ?? []), to]);
  }
  return (start, ends) => {
    const seen = new Set([start]);
    for (const file of seen) {
      if (startsWithOne(file, ends)) return file;
      for (const one of next.get(file) ?? []) seen.add(one);
    }
    return null;
  };
}

/**
 * @param {string} root
 * @returns {Tree}
 */
function readTree(root) {
  const folders = ['src', 'bin'].filter((folder) => existsSync(join(root, folder)));
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((file) => withoutExtension(file) !== file),
  );
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** @param {string} root */
function main(root) {
  const tree = readTree(root);
  const violations = checkArrows(tree);
  for (const violation of violations) console.log(formatViolation(violation));
  const count = Object.keys(tree).length;
  console.log(`${count} files, ${violations.length} arrows that point the wrong way`);
  process.exitCode = count > 0 && violations.length === 0 ? 0 : 1;
}

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) {
  main(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
}
