/**
 * Text for a cell of a Markdown table.
 *
 * @param {string} text
 */
export const cell = (text) =>
  text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
