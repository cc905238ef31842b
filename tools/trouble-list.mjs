// The list of what failed, and of what passed only when tried again, that `.ci/run` prints at its
// end. In the file each trouble is a line of JSON.
//
//   node tools/trouble-list.mjs FILE                   prints the list; nothing where there is none
//   node tools/trouble-list.mjs FILE --add NAME        adds a failure; its message comes by stdin

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** @typedef {import('./tally.mjs').Trouble} Trouble */

const MOST_LINES = 60;
/** Of one message; a name has a line of its own. */
const MOST_OF_ONE = 12;
const LONGEST_LINE = 300;

const TITLES = {
  FAILED: 'Failed',
  FLAKY: 'Flaky: passed only when tried again',
};

/**
 * @param {string} file
 * @param {readonly Trouble[]} troubles
 */
export function addTroubles(file, troubles) {
  appendFileSync(file, troubles.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

/**
 * Every name, and as much of each message as there is room for.
 *
 * @param {readonly Trouble[]} troubles
 * @returns {string[]} at most 60 lines
 */
export function linesOf(troubles) {
  const kinds = /** @type {const} */ (['FAILED', 'FLAKY']).map((kind) => ({
    title: TITLES[kind],
    some: troubles.filter((one) => one.kind === kind),
  }));
  const shown = kinds.filter(({ some }) => some.length > 0);
  const room = MOST_LINES - 2 * shown.length - troubles.length;
  const ofEach = Math.max(
    0,
    Math.min(MOST_OF_ONE, Math.floor(room / Math.max(1, troubles.length))),
  );
  const lines = shown.flatMap(({ title, some }) => [
    '',
    `== ${title}: ${some.length}`,
    ...some.flatMap(({ name, message }) => [
      cut(`- ${name}`),
      ...startOf(message, ofEach).map((line) => cut(`    ${line}`)),
    ]),
  ]);
  if (lines.length <= MOST_LINES) return lines;
  const left = lines.length - MOST_LINES + 1;
  return [...lines.slice(0, MOST_LINES - 1), `and ${left} lines more`];
}

/** What a tool writes of what is wrong, in the middle of all the rest. */
const TELLING = /\b(error|fail(ed|ure)?|survived|accused|broke off|cannot|could not)\b/i;

/**
 * The whole where there is room for it; else the first lines, the last, and those that tell.
 *
 * @param {string} message
 * @param {number} count
 */
function startOf(message, count) {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  if (lines.length <= count || count < 6) return lines.slice(0, count);
  const places = [...lines.keys()];
  const telling = places.filter((at) => TELLING.test(lines[at] ?? ''));
  const wanted = new Set([0, 1, ...places.slice(-2), ...telling, ...places]);
  const shown = [...wanted].slice(0, count - 1).sort((a, b) => a - b);
  return [...shown.map((at) => lines[at] ?? ''), `(${lines.length - shown.length} lines left out)`];
}

/** @param {string} line */
function cut(line) {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

/**
 * @param {string} file
 * @returns {Trouble[]}
 */
function readTroubles(file) {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file = '', add, name = ''] = process.argv.slice(2);
  if (add === '--add') {
    const message = readFileSync(0, 'utf8');
    addTroubles(file, [{ kind: 'FAILED', name, message }]);
  } else for (const line of linesOf(readTroubles(file))) console.log(line);
}
