/** A header Authorization of a wrong shape, in words and made of the id and what follows its `|`. */
export type WrongShape = readonly [what: string, write: (id: string, second: string) => string];

const withScheme = (scheme: string): WrongShape => [
  `the scheme ${scheme}`,
  (id, second) => `${scheme} ${id}|${second}`,
];

const withSeparator = (what: string, separator: string): WrongShape => [
  `${what} in place of | after the id`,
  (id, second) => `Bearer ${id}${separator}${second}`,
];

/**
 * Headers of another scheme or without `|`, the most conclusive first (interface.md,
 * "Authentication"). The case of the scheme and spaces around it are left open: they may be accepted.
 */
export const WRONG_SHAPES: readonly WrongShape[] = [
  withScheme('Basic'),
  withSeparator('a colon', ':'),
  ['no scheme', (id, second) => `${id}|${second}`],
  withScheme('Token'),
  ['no | and nothing after the id', (id) => `Bearer ${id}`],
  withSeparator('a space', ' '),
  withScheme('MAC'),
  withScheme('Bear'),
  withScheme('BearerToken'),
  withScheme('OAuth'),
  withScheme('Digest'),
  withSeparator('a comma', ','),
  withScheme('X-Bearer'),
];
