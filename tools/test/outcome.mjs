// What a step of a test run counts for, and how its failures are listed.

import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * @typedef {{ name: string, message: string }} Failure
 * @typedef {{ passed: number, failures: Failure[] }} Outcome
 */

const MAX_LINES = 60;
const MAX_LINES_EACH = 12;
const MAX_COLUMNS = 300;

/** Heading of what vitest says of an error outside every test. */
const UNHANDLED = 'Unhandled Error';

/** Marks of lines that describe a problem in the output of tools. */
const MARKED = /\b(error|fail(ed|ure)?|survived|accused|cannot|could not)\b/i;

/**
 * Outcome of a step that counts as one.
 *
 * @param {string} step
 * @param {boolean} ok
 * @param {string} output of the command; its marked lines are the message
 * @returns {Outcome}
 */
export function outcomeOfCommand(step, ok, output) {
  if (ok) return { passed: 1, failures: [] };
  return { passed: 0, failures: [{ name: step, message: markedLines(output.split('\n')) }] };
}

/**
 * Outcome of a vitest run: its tests, and one failure for whatever else failed, such as a file that
 * does not load. A run that failed in yet another way, such as by an error outside every test, or that ran
 * no test, counts one failure.
 *
 * @param {string} step
 * @param {string | null} report text of vitest's JSON reporter; null if it wrote none
 * @param {boolean} ok whether vitest ended with exit code 0
 * @param {string} [output] of vitest; empty if a terminal showed it
 * @returns {Outcome}
 */
export function outcomeOfTests(step, report, ok, output = '') {
  const outcome = readReport(report);
  if (outcome === null) {
    return { passed: 0, failures: [{ name: step, message: 'vitest ended without a report' }] };
  }
  const { passed } = outcome;
  const failures = outcome.failures.map((one) => ({ ...one, name: `${step}: ${one.name}` }));
  if (failures.length > 0 || (ok && passed > 0)) return { passed, failures };
  const message = ok
    ? 'no test ran'
    : `vitest failed, and none of its tests did\n${afterTests(output)}`;
  return { passed, failures: [{ name: step, message }] };
}

/** @param {string} output */
function afterTests(output) {
  const lines = output.split('\n');
  const start = lines.findIndex((line) => line.includes(UNHANDLED));
  return start < 0 ? markedLines(lines) : lines.slice(start).join('\n');
}

/** @param {readonly string[]} lines */
function markedLines(lines) {
  const marked = lines.filter((line) => MARKED.test(stripVTControlCharacters(line)));
  return (marked.length > 0 ? marked : lines.slice(-MAX_LINES_EACH)).join('\n');
}

/**
 * The list of failures: every name that there is room for, and as much of each message.
 *
 * @param {readonly Failure[]} failures
 * @returns {string[]} at most 60 lines
 */
export function failureLines(failures) {
  if (failures.length === 0) return [];
  const head = ['', `== Failed: ${failures.length}`];
  const room = MAX_LINES - head.length;
  const each = Math.min(MAX_LINES_EACH, Math.max(0, Math.floor(room / failures.length) - 1));
  const lines = failures.flatMap(({ name, message }) => [
    cut(`- ${name}`),
    ...linesOf(message)
      .slice(0, each)
      .map((line) => cut(`    ${line}`)),
  ]);
  if (lines.length <= room) return [...head, ...lines];
  return [...head, ...lines.slice(0, room - 1), `and ${lines.length - room + 1} more`];
}

/** @param {string} message */
function linesOf(message) {
  return stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

/** @param {string} line */
function cut(line) {
  return line.length > MAX_COLUMNS ? `${line.slice(0, MAX_COLUMNS)}…` : line;
}

/**
 * @param {string | null} text
 * @returns {Outcome | null}
 */
function readReport(text) {
  try {
    const { numPassedTests: passed, testResults } = JSON.parse(text ?? '');
    return { passed, failures: testResults.flatMap(failuresOf) };
  } catch {
    // A run that was cut off leaves no report, or half of one.
    return null;
  }
}

/**
 * The tests of a file that failed, or the file itself where it was its loading or its preparation.
 *
 * @param {{ name: string, status: string, message: string, assertionResults: readonly {
 *   status: string, title: string, ancestorTitles: readonly string[], failureMessages: readonly string[] }[] }} file
 * @returns {Failure[]}
 */
function failuresOf({ name, status, message, assertionResults }) {
  const path = relative('', name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0 && status === 'failed') return [{ name: path, message }];
  return failed.map(({ ancestorTitles, title, failureMessages }) => ({
    name: [path, ...ancestorTitles, title].join(' > '),
    message: failureMessages
      .join('\n')
      .split('\n')
      .filter((line) => !line.includes('node_modules'))
      .join('\n'),
  }));
}
