import { createHash } from 'node:crypto';

const md5 = (text: string | Buffer): string => createHash('md5').update(text).digest('hex');

/** The steps of the signature. */
export interface Reading {
  readonly sort: (names: string[], pairs: Readonly<Record<string, unknown>>) => string[];
  readonly isEmpty: (value: unknown, name: string) => boolean;
  /** Text of a value that is no list. */
  readonly spell: (value: unknown, name: string) => string;
  readonly list: (value: readonly unknown[]) => string;
  readonly trimName: (text: string) => string;
  readonly trimValue: (text: string, name: string) => string;
  readonly term: (name: string, value: string) => string;
  readonly strip: (joined: string) => string;
  readonly encode: (text: string) => Buffer;
  /** Text of the inner digest. */
  readonly digits: (hex: string) => string;
}

export const trim = (text: string): string => text.replace(/^[ \t\n\r\v\f]+|[ \t\n\r\v\f]+$/g, '');

const spell = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value !== null && typeof value === 'object'
      ? jsonOf(value)
      : (JSON.stringify(value) ?? '');

export const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll('/', '\\/');

/** The steps as interface.md says. */
const RIGHT_READING: Reading = {
  sort: (names) => names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  isEmpty: (value) =>
    value === '' ||
    value === null ||
    value === undefined ||
    (Array.isArray(value) && value.length === 0),
  spell,
  list: jsonOf,
  trimName: trim,
  trimValue: trim,
  term: (name, value) => `${name}=${value}`,
  strip: (joined) => joined.replace(/^&+/, '').replace(/&+$/, ''),
  encode: (text) => Buffer.from(text, 'utf8'),
  digits: (hex) => hex,
};

/** Signs as interface.md says, or with steps misread; shares nothing with the product. */
export function signatureOf(
  pairs: Readonly<Record<string, unknown>>,
  key: string,
  reading: Partial<Reading> = {},
): string {
  const steps = { ...RIGHT_READING, ...reading };
  const terms = steps
    .sort(Object.keys(pairs), pairs)
    .filter((name) => !steps.isEmpty(pairs[name], name))
    .map((name) => {
      const value = pairs[name];
      const text = Array.isArray(value) ? steps.list(value) : steps.spell(value, name);
      return steps.term(steps.trimName(name), steps.trimValue(text, name));
    });
  return md5(steps.digits(md5(steps.encode(steps.strip(terms.join('&'))))) + key);
}
