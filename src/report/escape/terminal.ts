import { visibleText } from './visible-text.ts';

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

/** Escapes text as {@link escapeTerminal} does, on one line. */
export function escapeTerminalLine(text: string): string {
  return escapeTerminal(text.replaceAll(/\s+/gu, ' '));
}
