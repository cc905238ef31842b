/** True if a value has an object without the field at the end of a path. */
export function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined || value === null || typeof value !== 'object') return false;
  const field = (value as Readonly<Record<PropertyKey, unknown>>)[name];
  return rest.length === 0 ? field === undefined : isMissing(field, rest);
}
