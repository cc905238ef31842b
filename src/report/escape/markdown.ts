import { visibleText } from './visible-text.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Text as it may stand within a line or a table cell of GitHub's Markdown: no markup, no link, no
 * picture, no mention, no line end.
 */
export function escapeMarkdown(text: string): string {
  return oneLine(text)
    .replaceAll(/[\\`*_{}[\]()#+\-!|~$@]|:(?=\/\/)|(?<=www)\./giu, (character) => `\\${character}`)
    .replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '');
}

/** Text as code within a line or a table cell of GitHub's Markdown. */
export function markdownCode(text: string): string {
  const code = oneLine(text).replaceAll('|', '\\|');
  if (code === '') return '';
  const fence = '`'.repeat(longestRun(code) + 1);
  const pad = /^[` ]|[` ]$/.test(code) ? ' ' : '';
  return `${fence}${pad}${code}${pad}${fence}`;
}

/** Text as a fenced block of GitHub's Markdown, with the line ends around it. */
export function markdownBlock(text: string, language = ''): string {
  const code = visibleText(text);
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${language}\n${code}\n${fence}\n`;
}

function oneLine(text: string): string {
  return visibleText(text).replaceAll(/\s+/gu, ' ').trim();
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
