/**
 * Control characters except tab and line feed, marks that change the direction of text, separators
 * that some programs take for a line end, invisible tags, noncharacters.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;

/**
 * Makes invisible characters of a text visible, as `\x1b` or `\u202e`, and lone surrogates U+FFFD; tab
 * and line feed stay. The escaping of every medium starts with it.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd').replaceAll(INVISIBLE, codeOf);
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

/** Cuts a text to `limit` UTF-16 units, never within a character, and says how many were cut. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = (text.codePointAt(limit - 1) ?? 0) > 0xffff ? limit - 1 : limit;
  const left = text.length - end;
  return `${text.slice(0, end)}… [cut: ${left.toLocaleString('en')} more characters]`;
}

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const referenceOf = (character: string): string => REFERENCES[character] ?? '';

/** Escapes text for an HTML element, and for an attribute in quotes. */
export function escapeHtml(text: string): string {
  return visibleText(text).replaceAll(/[&<>"']/g, referenceOf);
}

/** Serializes a value as JSON for a script element: nothing in it ends or opens an element. */
export function escapeJsonForScript(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Escapes text for an element of XML 1.0; no character that XML forbids is left. */
export function escapeXml(text: string): string {
  return visibleText(text).replaceAll(/[&<>"]/g, referenceOf);
}

/** Escapes text for an attribute of XML 1.0 in double quotes; line ends and tabs are kept. */
export function escapeXmlAttribute(text: string): string {
  return escapeXml(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}

/**
 * Escapes text for a line or a table cell of GitHub's Markdown: without markup, link, picture,
 * mention and line end.
 */
export function escapeMarkdown(text: string): string {
  return oneLine(text)
    .replaceAll(/[\\`*_{}[\]()#+\-!|~$@]|:(?=\/\/)|(?<=www)\./giu, (character) => `\\${character}`)
    .replaceAll(/[&<>]/g, referenceOf);
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

/** Text in one line, with what is invisible in it made visible. */
export function oneLine(text: string): string {
  return visibleText(text).replaceAll(/\s+/gu, ' ').trim();
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/**
 * Escapes text for a terminal and for the log of a build: no escape sequence, carriage return or
 * backspace is left, and nothing that GitHub Actions takes for a workflow command, which it looks for
 * after indentation (`::`) and anywhere in a line (`##[`).
 */
export function escapeTerminal(text: string): string {
  return visibleText(text)
    .replaceAll('\t', '  ')
    .replaceAll(/^([^\S\n]*):(?=:)/gmu, '$1: ')
    .replaceAll('##[', '## [');
}

/** Escapes text as {@link escapeTerminal} does, on one line; cut to `limit` UTF-16 units. */
export function escapeTerminalLine(text: string, limit = Number.POSITIVE_INFINITY): string {
  return escapeTerminal(cutText(text, limit).replaceAll(/\s+/gu, ' '));
}

/** Escapes the message of a GitHub workflow command. */
export function escapeAnnotation(text: string): string {
  return visibleText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes a property, such as the title, of a GitHub workflow command. */
export function escapeAnnotationProperty(text: string): string {
  return escapeAnnotation(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
