// Types of a figure: the context it is measured in, and the row that is printed.

/**
 * @typedef {object} Context
 * @property {number} nginxPort port of an nginx that sends a fixed answer
 * @property {boolean} tiny shortens everything to seconds, to try the script
 * @property {(text: string) => void} log prints details with --verbose
 */

/**
 * @typedef {object} Row
 * @property {string} figure
 * @property {string} asked
 * @property {string} measured
 * @property {boolean | null} held null if nothing is required
 */

/** @param {Row} row */
export function lineOf({ figure, asked, measured, held }) {
  const verdict = held === null ? '    ' : held ? 'held' : 'MISS';
  return `${verdict}  ${figure}: ${measured}  (asked: ${asked})`;
}
