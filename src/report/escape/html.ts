import { visibleText } from './visible-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const entityOf = (character: string): string => ENTITIES[character] ?? '';

/** Text as it may stand in an element or in a quoted attribute of HTML. */
export function escapeHtml(text: string): string {
  return visibleText(text).replaceAll(/[&<>"']/g, entityOf);
}

/** Text as it may stand in an element, and in no attribute: quotes stay, of which JSON is full. */
export function escapeHtmlText(text: string): string {
  return visibleText(text).replaceAll(/[&<>]/g, entityOf);
}

/** A value as JSON that may stand in a script element: nothing in it ends or opens one. */
export function escapeJsonForScript(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
