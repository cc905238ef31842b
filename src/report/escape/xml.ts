import { visibleText } from './visible-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes text for an element of XML 1.0; no character that XML forbids is left. */
export function escapeXml(text: string): string {
  return visibleText(text).replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}

/** Escapes text for an attribute of XML 1.0 in double quotes; line ends and tabs are kept. */
export function escapeXmlAttribute(text: string): string {
  return escapeXml(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}
