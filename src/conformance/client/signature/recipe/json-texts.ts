/** JSON with escaped slashes, as PHP writes it: the documented form of a list. */
export function phpJson(value: object): string {
  return JSON.stringify(value).replaceAll('/', '\\/');
}

/** JSON with spaces and non-ASCII text escaped, as Python writes it. */
export function pythonJson(value: object): string {
  return escapeNonAscii(spacedJson(value));
}

/** Writes what is not ASCII as `\\u` and four hex digits. */
export function escapeNonAscii(text: string): string {
  return text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** JSON with a space after each colon and comma. */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${spacedJson(one)}`,
  );
  return `{${members.join(', ')}}`;
}
