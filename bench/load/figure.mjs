// What a figure is measured with, and what it says.

/**
 * @typedef {object} Context
 * @property {number} nginxPort of an nginx that gives one and the same answer
 * @property {boolean} tiny whether this only tries the script, in seconds
 * @property {(text: string) => void} log what led to the figures
 */

/**
 * @typedef {object} Row
 * @property {string} figure
 * @property {string} asked
 * @property {string} measured
 * @property {boolean | null} held null where nothing is asked
 */

/** @param {Row} row */
export function lineOf({ figure, asked, measured, held }) {
  const verdict = held === null ? '    ' : held ? 'held' : 'MISS';
  return `${verdict}  ${figure}: ${measured}  (asked: ${asked})`;
}
