// Holds the arrows between the areas of src/ (CONTRIBUTING.md, "The house on one page").
//
//   node tools/check-arrows.mjs [root]
//
// Prints one line for each that points the wrong way, `file:line  what is wrong  why`, and ends
// with exit code 1 if there is any.

import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readModule } from './read-module.mjs';

/**
 * @typedef {import('./read-module.mjs').Reference} Reference
 * @typedef {import('./read-module.mjs').GlobalUse} GlobalUse
 * @typedef {{ what: string, why: string }} Objection
 * @typedef {Objection & { file: string, line: number }} Violation
 * @typedef {Readonly<Record<string, string>>} Tree source by path from the root, `/` between names
 */

const AREAS = ['interface', 'documents', 'server', 'conformance', 'load', 'report', 'cli'];

/** Areas that are put together from outside and know only themselves and the interface. */
const PARTS = ['documents', 'server', 'conformance', 'load', 'report'];

/** Areas that anything above them comes into by any file: they have no inside. */
const GROUND = ['interface', 'documents'];

/** Names that a help text lists: reading them does not load their area. */
const LISTS = ['src/load/engine/names'];

/** Who writes or reads run documents. */
const OF_DOCUMENTS = ['conformance', 'load', 'report'];

/** What of the interface the checker may use: never a message shape. */
const FOR_THE_CHECKER =
  /^src\/interface\/(signature|catalogue|gaps|limits|errors|target-profile)(\/[^/]+)?$/;

const INTERFACE_PACKAGES = /^(zod(\/.*)?|node:crypto)$/;

const NODE_INTERNALS = /^(node:)?(_|internal\/)/;

const NETWORK = /^(node:)?(net|tls|http|https|http2|dgram|dns)(\/|$)|^(undici|autocannon)(\/|$)/;

const CODE = /\.[cm]?[jt]sx?$/;

/** Members of `process` that belong to the command line. */
const CLI_PROCESS = new Set([
  'argv',
  'argv0',
  'env',
  'exit',
  'exitCode',
  'abort',
  'stdin',
  'stdout',
  'stderr',
  '*',
]);

const WHY = {
  face: 'only bin/ starts src/cli and src/index.ts; nothing in src/ imports them',
  door: 'src/cli and src/index.ts come into another area by its index.ts',
  parts:
    'server, conformance, load and report know themselves and the ground floor, never each other',
  sides: 'src/conformance/service and src/conformance/client judge apart',
  shapes:
    'the checker judges with its own eyes: of the interface it uses signature, catalogue, gaps, limits, errors and target-profile, never a message shape',
  pure: 'src/interface is pure: it imports only itself, zod and node:crypto, and does no I/O',
  given: 'src/interface is pure: time and randomness come in as parameters',
  cli: 'only src/cli prints, reads stdin, argv or env, or sets an exit code',
  internals: 'internals of Node change without notice',
  offline: 'src/report renders documents; only src/report/live/ may use the network',
  readable: 'an address that is computed cannot be held to the arrows; only src/cli may have one',
  relative: 'modules of src/ refer to each other by relative paths',
  inside: 'src/ is what ships; it does not reach outside itself',
  areas: `every file of src/ belongs to an area: ${AREAS.join(', ')}, or is src/index.ts`,
  launcher: 'bin/ is the launcher and nothing else: it imports dist/cli or dist/index.js',
  parsed: 'what cannot be read cannot be held to the arrows',
};

/**
 * @param {Tree} tree the files of src/ and bin/
 * @returns {Violation[]}
 */
export function checkArrows(tree) {
  const modules = Object.entries(tree).map(([file, source]) => ({
    file,
    ...readModule(file, source),
  }));
  const reachesSide = conformanceReach(modules);
  return modules
    .flatMap(({ file, references, globals, errors }) => [
      ...errors.map(({ message, line }) => ({ file, line, what: message, why: WHY.parsed })),
      ...objectionsTo(file, judgePlace(file)),
      ...references.flatMap((reference) =>
        objectionsTo(file, judgeReference(file, reference, reachesSide), reference.line),
      ),
      ...globals.flatMap((use) => objectionsTo(file, judgeGlobal(file, use), use.line)),
    ])
    .sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

/** @param {Violation} violation */
export function formatViolation({ file, line, what, why }) {
  return `${file}:${line}  ${what}  ${why}`;
}

/**
 * @param {string} file
 * @param {Objection | null} objection
 * @param {number} [line]
 * @returns {Violation[]}
 */
function objectionsTo(file, objection, line = 1) {
  return objection ? [{ file, line, ...objection }] : [];
}

/**
 * The area that a file belongs to; `face` is src/index.ts, null is none.
 *
 * @param {string} file with or without its extension
 */
function areaOf(file) {
  const [top, area, ...rest] = file.split('/');
  if (top === 'bin') return 'bin';
  if (top !== 'src' || area === undefined) return null;
  if (rest.length === 0) return withoutExtension(area) === 'index' ? 'face' : null;
  return AREAS.includes(area) ? area : null;
}

/** @param {string} file */
function withoutExtension(file) {
  return file.replace(CODE, '');
}

/**
 * The file that a reference leads to, without its extension if it is code; null for a package.
 *
 * @param {string} file
 * @param {Reference} reference
 */
function targetOf(file, { kind, specifier }) {
  if (specifier === null || /^[a-z][a-z0-9+.-]*:/i.test(specifier)) return null;
  if (kind === 'import' && !/^\.\.?(\/|$)/.test(specifier)) return null;
  const path = specifier.replace(/[?#].*$/, '');
  return withoutExtension(posix.join(posix.dirname(file), path));
}

/**
 * @param {string} file
 * @returns {Objection | null}
 */
function judgePlace(file) {
  return areaOf(file) ? null : { what: 'belongs to no area', why: WHY.areas };
}

/**
 * @param {string} file
 * @param {Reference} reference
 * @param {Reach} reachesSide
 * @returns {Objection | null}
 */
function judgeReference(file, reference, reachesSide) {
  const area = areaOf(file);
  const { specifier } = reference;
  if (specifier === null) {
    if (area === 'cli' || area === 'bin') return null;
    return { what: 'refers to a computed address', why: WHY.readable };
  }
  const target = targetOf(file, reference);
  if (target !== null) return judgeTarget(file, reference, target, reachesSide);
  return judgePackage(file, specifier);
}

/**
 * @param {string} file
 * @param {string} specifier
 * @returns {Objection | null}
 */
function judgePackage(file, specifier) {
  const area = areaOf(file);
  const what = `imports ${specifier}`;
  if (NODE_INTERNALS.test(specifier)) return { what, why: WHY.internals };
  if (/^(fareproof(\/|$)|[#/]|file:)/.test(specifier)) return { what, why: WHY.relative };
  if (area === 'interface' && !INTERFACE_PACKAGES.test(specifier)) return { what, why: WHY.pure };
  if (area === 'report' && NETWORK.test(specifier) && !isLivePage(file)) {
    return { what, why: WHY.offline };
  }
  if (area === 'bin' && !isBuiltin(specifier)) return { what, why: WHY.launcher };
  return null;
}

/** @param {string} file */
function isLivePage(file) {
  return file.startsWith('src/report/live/');
}

/**
 * @param {string} file
 * @param {Reference} reference
 * @param {string} target
 * @param {Reach} reachesSide
 * @returns {Objection | null}
 */
function judgeTarget(file, reference, target, reachesSide) {
  const from = areaOf(file);
  const to = areaOf(target);
  const what = `${reference.kind === 'url' ? 'refers to' : 'imports'} ${reference.specifier}`;
  if (from === 'bin') {
    return /^dist\/(index$|cli\/)/.test(target) ? null : { what, why: WHY.launcher };
  }
  if (!target.startsWith('src/')) return judgeOutside(from, reference, target, what);
  if (to === 'face') return { what, why: WHY.face };
  if (from === to) return judgeWithin(file, target, what, reachesSide);
  if (to === 'cli') return { what, why: WHY.face };
  if (from === 'interface') return { what, why: WHY.pure };
  if (from === 'cli' || from === 'face') {
    // The interface has no inside: a command that needs the errors need not load every shape.
    return GROUND.includes(to ?? '') || LISTS.includes(target) || target === `src/${to}/index`
      ? null
      : { what, why: WHY.door };
  }
  if (to === 'documents' && OF_DOCUMENTS.includes(from ?? '')) return null;
  if (to !== 'interface' && PARTS.includes(from ?? '')) return { what, why: WHY.parts };
  if (from === 'conformance' && !FOR_THE_CHECKER.test(target)) return { what, why: WHY.shapes };
  return null;
}

/**
 * Data may be addressed from anywhere but the interface, package.json imported by the two faces.
 *
 * @param {string | null} from
 * @param {Reference} reference
 * @param {string} target
 * @param {string} what
 * @returns {Objection | null}
 */
function judgeOutside(from, { kind, specifier }, target, what) {
  if (from === 'interface') return { what, why: WHY.pure };
  if (target === 'package.json' && (from === 'cli' || from === 'face')) return null;
  if (kind === 'url' && !CODE.test(specifier ?? '')) return null;
  return { what, why: WHY.inside };
}

/**
 * @param {string} file
 * @param {string} target
 * @param {string} what
 * @param {Reach} reachesSide
 * @returns {Objection | null}
 */
function judgeWithin(file, target, what, reachesSide) {
  if (FOR_THE_CHECKER.test(withoutExtension(file)) && !FOR_THE_CHECKER.test(target)) {
    return { what, why: WHY.shapes };
  }
  const side = sideOf(file);
  if (!side || sideOf(target) === side) return null;
  const reached = reachesSide(target, side === 'service' ? 'client' : 'service');
  if (!reached) return null;
  const way = reached === target ? '' : `, which leads to ${reached}`;
  return { what: what + way, why: WHY.sides };
}

/**
 * @typedef {(target: string, side: string) => string | null} Reach the file of a side of the
 *   checker that one comes to from a file of src/conformance
 */

/** @param {string} file */
function sideOf(file) {
  return /^src\/conformance\/(service|client)\//.exec(file)?.[1] ?? null;
}

/**
 * @param {{ file: string, references: Reference[] }[]} modules
 * @returns {Reach}
 */
function conformanceReach(modules) {
  /** @type {Map<string, string[]>} */
  const arrows = new Map();
  for (const { file, references } of modules) {
    if (areaOf(file) !== 'conformance') continue;
    const targets = references.map((reference) => targetOf(file, reference));
    arrows.set(
      withoutExtension(file),
      targets.filter((target) => target !== null),
    );
  }
  return (start, side) => {
    const seen = new Set([start]);
    for (const file of seen) {
      if (sideOf(file) === side) return file;
      for (const next of arrows.get(file) ?? []) seen.add(next);
    }
    return null;
  };
}

/** Globals that reach out of a pure module. */
const IMPURE = new Set(['process', 'console', 'fetch', 'WebSocket', 'EventSource']);

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'performance']);

/**
 * @param {string} file
 * @param {GlobalUse} use
 * @returns {Objection | null}
 */
function judgeGlobal(file, { object, member }) {
  const area = areaOf(file);
  if (area === 'cli' || area === 'bin') return null;
  const what = `uses ${member === null || member === '*' ? object : nameOfUse(object, member)}`;
  if (area === 'interface') {
    if (IMPURE.has(object)) return { what, why: WHY.pure };
    if (isTimeOrChance(object, member)) return { what, why: WHY.given };
  }
  if (object === 'console') return { what, why: WHY.cli };
  if (object === 'process' && (member === null || CLI_PROCESS.has(member))) {
    return { what: member === null ? `${what} as a value` : what, why: WHY.cli };
  }
  if (area === 'report' && (object === 'fetch' || object === 'WebSocket') && !isLivePage(file)) {
    return { what, why: WHY.offline };
  }
  return null;
}

/**
 * @param {string} object
 * @param {string} member
 */
function nameOfUse(object, member) {
  return member === 'new' ? `new ${object}()` : `${object}.${member}`;
}

/**
 * @param {string} object
 * @param {string | null} member
 */
function isTimeOrChance(object, member) {
  return (
    TIMERS.has(object) ||
    (object === 'Date' && (member === 'now' || member === 'new')) ||
    (object === 'Math' && member === 'random')
  );
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
      .filter((file) => CODE.test(file)),
  );
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** @param {string} root */
function main(root) {
  const tree = readTree(root);
  const violations = checkArrows(tree);
  for (const violation of violations) console.log(formatViolation(violation));
  const count = Object.keys(tree).length;
  if (count === 0) console.log(`There is no file to check in ${root}`);
  else console.log(`${count} files, ${violations.length} arrows that point the wrong way`);
  process.exitCode = count > 0 && violations.length === 0 ? 0 : 1;
}

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) {
  main(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
}
