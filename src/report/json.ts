import type { RunDocument } from '../documents/run-document.ts';

const INDENT = 2;

/**
 * Renders a run document as run.json; several as a list. Exchanges come last, one a line: a
 * check has thousands of them.
 */
export function toJson(...documents: readonly RunDocument[]): string {
  const texts = documents.map(indented);
  return texts.length === 1 ? `${texts[0]}\n` : `[\n${texts.join(',\n')}\n]\n`;
}

function indented(document: RunDocument): string {
  if (!('exchanges' in document)) return JSON.stringify(document, null, INDENT);
  const { exchanges, ...others } = document;
  const text = JSON.stringify(others, null, INDENT).slice(0, -'\n}'.length);
  const lines = exchanges.map((one) => `\n    ${JSON.stringify(one)}`).join(',');
  return `${text},\n  "exchanges": [${lines}${lines === '' ? '' : '\n  '}]\n}`;
}
