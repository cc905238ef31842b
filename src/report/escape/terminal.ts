import { visibleText } from './visible-text.ts';

/**
 * Text as it may be printed on a terminal or into the log of a build: no escape sequence, no carriage
 * return, no backspace; and nothing that GitHub Actions would take for a workflow command, which it
 * looks for after any indent (`::`) and anywhere in a line (`##[`).
 */
export function escapeTerminal(text: string): string {
  return visibleText(text)
    .replaceAll('\t', '  ')
    .replaceAll(/^([^\S\n]*):(?=:)/gmu, '$1: ')
    .replaceAll('##[', '## [');
}

/** Text as {@link escapeTerminal} has it, on one line. */
export function escapeTerminalLine(text: string): string {
  return escapeTerminal(text.replaceAll(/\s+/gu, ' '));
}
