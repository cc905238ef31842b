import { visibleText } from './visible-text.ts';

/** Escapes the message of a GitHub workflow command. */
export function escapeAnnotation(text: string): string {
  return visibleText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes a property, such as the title, of a GitHub workflow command. */
export function escapeAnnotationProperty(text: string): string {
  return escapeAnnotation(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
