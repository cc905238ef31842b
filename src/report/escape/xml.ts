import { visibleText } from './visible-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Text as it may stand in an element of XML 1.0: no character in it that XML forbids. */
export function escapeXml(text: string): string {
  return visibleText(text).replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}

/** Text as it may stand in an attribute of XML 1.0 in double quotes; line ends and tabs survive. */
export function escapeXmlAttribute(text: string): string {
  return escapeXml(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}
