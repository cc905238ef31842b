import { surrounded } from '../notations.ts';
import { alike, around, choices, type Mistake, type Recipe } from '../recipe.ts';
import type { SigningContext } from '../signing-context.ts';
import { ALL, SENT } from './advice.ts';

const KEY = 'Append the signing key of the partner as it is, and nothing else.';
const FIELDS = 'Sign the fields only, neither method nor address.';

/** Names that exchange their values, each two: a mix-up of the two ends of a ride, or of its coordinates. */
const SWAPS: readonly (readonly [statement: string, names: string])[] = [
  ['exchanges latitude and longitude', 'start_lat start_lng end_lat end_lng'],
  ['exchanges start and end', 'start_lat end_lat start_lng end_lng from_name to_name'],
  ['exchanges the coordinates of start and end', 'start_lat end_lat start_lng end_lng'],
  ['exchanges the two places', 'from_name to_name'],
  ['exchanges the two types', 'product_type ride_type'],
  ['exchanges `_` and nostr', '_ nostr'],
];

function swapped(swaps: string): Recipe['fields'] {
  const names = swaps.split(' ');
  const twins = new Map(names.map((name, at) => [name, names[at ^ 1] ?? name]));
  return (pairs) => {
    const values = new Map(pairs);
    return pairs.map(([name, value]) => [name, values.get(twins.get(name) ?? name) ?? value]);
  };
}

/** Mistakes in the choice of fields, and in values that depend on the rest of the request. */
export function* rareFieldMistakes(context: SigningContext): Generator<Mistake> {
  const { method, path, addresses = [], queryTexts = [] } = context;
  yield* choices(
    'ends',
    FIELDS,
    addresses.map((before) => [
      'path-included',
      `puts ${before} before the terms`,
      around(before, ''),
    ]),
  );
  const paths = path === undefined ? [] : [path, `${method} ${path}`];
  yield* choices('text', FIELDS, [
    ...queryTexts.map(
      (text) => ['query-as-sent', 'is made of the query as it is sent', () => text] as const,
    ),
    ...paths.map(
      (text) => ['path-only', 'is made of the path, without any field', () => text] as const,
    ),
  ]);
  yield* choices(
    'fields',
    ALL,
    (context.rareFields ?? []).map(([name, value]) => [
      `extra-field:${name}`,
      `includes a field that was not sent, "${name}"`,
      (pairs) => [...pairs, [name, value]],
    ]),
  );
  yield* choices(
    'keyText',
    KEY,
    (context.keysOfOthers ?? []).map((other) => [
      'key-of-another-partner',
      'is made with the signing key of another partner',
      () => other,
    ]),
  );
  yield* choices(
    'fields',
    SENT,
    SWAPS.map(([statement, swaps]) => ['values-exchanged', statement, swapped(swaps)]),
  );
}

/** Constants that are signed without being sent. */
export const constantMistakes = ({ constants = [] }: SigningContext): Mistake[] =>
  choices(
    'fields',
    ALL,
    constants.map(([name, value]) => [
      `extra-field:${name}`,
      `includes a field that was not sent, "${name}=${value}"`,
      (pairs) => [...pairs, [name, value]],
    ]),
  );

/** Mistakes with another text of the request, such as the partner id or the token. */
export const otherTextMistakes = ({ otherTexts = [] }: SigningContext): Mistake[] =>
  otherTexts.flatMap((text) => [
    ...choices('keyText', KEY, [
      ...alike(
        'key-with-other-text',
        ['', '|', ':', '&'].flatMap((joint) => [
          ['adds another text of the request before the signing key', surrounded(text + joint)],
          ['adds another text of the request after the signing key', surrounded('', joint + text)],
        ]),
      ),
      ['other-key', 'takes another text for the signing key', () => text],
    ]),
    ...choices(
      'ends',
      ALL,
      alike(
        'text-with-other-text',
        ['', '&', '|'].flatMap((joint) => [
          ['starts the text with another one', around(`${text}${joint}`, '')],
          ['ends the text with another one', around('', `${joint}${text}`)],
        ]),
      ),
    ),
    ...choices('text', ALL, [
      ['only-other-text', 'covers another text of the request, and no field', () => text],
    ]),
  ]);
