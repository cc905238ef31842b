import { createHash } from 'node:crypto';

const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');

/** Signs as interface.md says, or with one step misread; shares nothing with the product. */
export function signatureOf(
  pairs: Readonly<Record<string, unknown>>,
  key: string,
  broken: (rule: string) => boolean,
): string {
  let keys = Object.keys(pairs);
  if (!broken('signature/key-order')) {
    keys = keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }
  const terms: string[] = [];
  for (const name of keys) {
    const value = pairs[name];
    const zero = value === 0;
    if (zero && broken('signature/zero-kept')) continue;
    const list = Array.isArray(value);
    const empty = !zero && (value === '' || value === null || (list && value.length === 0));
    if (empty && !broken('signature/empty-skipped')) continue;
    let text =
      list || (value !== null && typeof value === 'object')
        ? json(value)
        : typeof value === 'string'
          ? value
          : JSON.stringify(value ?? '');
    if (list && broken('signature/array-json')) text = value.join(',');
    const trim = broken('signature/trimmed')
      ? (some: string): string => some
      : (some: string): string => some.replace(/^[ \t\n\r\v\f]+|[ \t\n\r\v\f]+$/g, '');
    terms.push(`${trim(name)}=${trim(text)}`);
  }
  let joined = terms.join('&');
  if (!broken('signature/ampersands-stripped'))
    joined = joined.replace(/^&+/, '').replace(/&+$/, '');
  if (broken('signature/utf8')) {
    const inner = createHash('md5').update(Buffer.from(joined, 'latin1')).digest('hex');
    return md5(inner + key);
  }
  return md5(md5(joined) + key);
}

function json(value: unknown): string {
  return JSON.stringify(value).replaceAll('/', '\\/');
}
