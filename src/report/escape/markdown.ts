import { visibleText } from './visible-text.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Escapes text for a line or a table cell of GitHub's Markdown: without markup, link, picture,
 * mention and line end.
 */
export function escapeMarkdown(text: string): string {
  return oneLine(text)
    .replaceAll(/[\\`*_{}[\]()#+\-!|~$@]|:(?=\/\/)|(?<=www)\./giu, (character) => `\\${character}`)
    .replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '');
}

/** Renders text as code in a line or a table cell of GitHub's Markdown. */
export function markdownCode(text: string): string {
  const code = oneLine(text).replaceAll('|', '\\|');
  if (code === '') return '';
  const fence = '`'.repeat(longestRun(code) + 1);
  const pad = /^[` ]|[` ]$/.test(code) ? ' ' : '';
  return `${fence}${pad}${code}${pad}${fence}`;
}

/** Renders text as a fenced code block of GitHub's Markdown, with a line end after it. */
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
