import type { Pairs } from '../recipe/pairs.ts';
import type { Mistake, Recipe } from '../recipe/recipe.ts';
import type { SigningContext } from '../signing-context.ts';
import { rareMistake } from './rare-mistake.ts';

const ALL = 'Sign every field that is sent, and no other one.';
const SENT = 'Sign each value as it is sent.';
const SKIP = 'Skip every pair whose value is empty; keep the number 0.';
const LISTS = 'Replace a list by its compact JSON.';
const KEY = 'Append the signing key of the partner as it is, and nothing else.';
const FIELDS = 'Sign the fields only, neither method nor address.';

/** Fields of which every choice is tried: 2 to the power of so many. */
const MAX_CHOSEN = 11;

/** Signatures over some of the fields; one or two that are left out are tried elsewhere. */
function* someFields(sent: Pairs): Generator<Mistake> {
  const names = sent.filter(([, value]) => value !== '' && value !== null).map(([name]) => name);
  if (names.length > MAX_CHOSEN) return;
  for (let chosen = 1; chosen < 2 ** names.length; chosen++) {
    const left = names.filter((_, at) => (chosen & (1 << at)) !== 0);
    if (names.length - left.length < 3) continue;
    yield rareMistake('fields-missing', `covers only ${left.join(', ')}`, ALL, {
      fields: (pairs) => pairs.filter(([name]) => left.includes(name)),
    });
  }
}

const EMPTY_WORDS = ['null', 'undefined', '""', 'None', 'nil', '[]', '{}', 'NULL', '0', 'false'];

const isEmpty = (value: unknown): boolean => value === '' || value === null || value === undefined;

const eachValue =
  (change: (value: unknown) => unknown): Recipe['fields'] =>
  (pairs) =>
    pairs.map(([name, value]) => [name, change(value)]);

const flattened =
  (nameOf: (name: string, at: string) => string): Recipe['fields'] =>
  (pairs) =>
    pairs.flatMap(([name, value]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([at, one]) => [nameOf(name, at), one] as const)
        : [[name, value] as const],
    );

const LIST_FIELDS: readonly (readonly [statement: string, fields: Recipe['fields']])[] = [
  ['signs each item of a list as `name[0]`', flattened((name, at) => `${name}[${at}]`)],
  ['signs each item of a list as `name[]`', flattened((name) => `${name}[]`)],
  ['signs each item of a list under its name', flattened((name) => name)],
  ['signs each item of a list as `name.0`', flattened((name, at) => `${name}.${at}`)],
];

const LIST_TEXTS: readonly (readonly [statement: string, lists: (value: object) => string])[] = [
  ['writes Array for a list', () => 'Array'],
  ['writes a list or object as JavaScript turns it into a text', String],
  ['sorts lists', (value) => JSON.stringify(Object.values(value).map(String).toSorted(byText))],
  ['joins a list with `|`', (value) => Object.values(value).join('|')],
  ['joins a list with `, `', (value) => Object.values(value).join(', ')],
  ['joins a list with spaces', (value) => Object.values(value).join(' ')],
  ['joins a list without a separator', (value) => Object.values(value).join('')],
  ['takes only the first item of a list', (value) => String(Object.values(value)[0])],
];

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

/** Names that exchange their values: a mix-up of the two ends of a ride, or of its coordinates. */
const SWAPS: readonly (readonly [
  statement: string,
  pairs: readonly (readonly [string, string])[],
])[] = [
  [
    'exchanges latitude and longitude',
    [
      ['start_lat', 'start_lng'],
      ['end_lat', 'end_lng'],
    ],
  ],
  [
    'exchanges start and end',
    [
      ['start_lat', 'end_lat'],
      ['start_lng', 'end_lng'],
      ['from_name', 'to_name'],
    ],
  ],
  [
    'exchanges the coordinates of start and end',
    [
      ['start_lat', 'end_lat'],
      ['start_lng', 'end_lng'],
    ],
  ],
  ['exchanges the two places', [['from_name', 'to_name']]],
  ['exchanges the two types', [['product_type', 'ride_type']]],
  ['exchanges `_` and nostr', [['_', 'nostr']]],
];

function swapped(swaps: readonly (readonly [string, string])[]): Recipe['fields'] {
  const twins = new Map(swaps.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]));
  return (pairs) => {
    const values = new Map(pairs);
    return pairs.map(([name, value]) => [name, values.get(twins.get(name) ?? name) ?? value]);
  };
}

/** Mistakes in the choice of fields, and in values that depend on the rest of the request. */
export function* rareFieldMistakes(sent: Pairs, context: SigningContext): Generator<Mistake> {
  for (const before of context.addresses ?? []) {
    yield rareMistake('path-included', `puts ${before} before the terms`, FIELDS, {
      ends: { before, after: '' },
    });
  }
  for (const verbatim of context.queryTexts ?? []) {
    yield rareMistake('query-as-sent', 'is made of the query as it is sent', FIELDS, {
      text: { verbatim },
    });
  }
  for (const verbatim of [context.path, `${context.method} ${context.path}`]) {
    if (context.path === undefined || verbatim === undefined) continue;
    yield rareMistake('path-only', 'is made of the path, without any field', FIELDS, {
      text: { verbatim },
    });
  }
  for (const [name, value] of context.rareFields ?? []) {
    yield rareMistake(`extra-field:${name}`, `includes a field that was not sent, "${name}"`, ALL, {
      fields: (pairs) => [...pairs, [name, value]],
    });
  }
  for (const text of context.otherTexts ?? []) {
    for (const [where, write] of TEXT_PLACES) {
      yield rareMistake(
        'key-with-other-text',
        `adds another text of the request ${where} the signing key`,
        KEY,
        {
          keyText: (key) => write(key, text),
        },
      );
    }
    for (const joint of ['', '&', '|']) {
      yield rareMistake('text-with-other-text', 'starts the text with another one', ALL, {
        ends: { before: `${text}${joint}`, after: '' },
      });
      yield rareMistake('text-with-other-text', 'ends the text with another one', ALL, {
        ends: { before: '', after: `${joint}${text}` },
      });
    }
    yield rareMistake('other-key', 'takes another text for the signing key', KEY, {
      keyText: { verbatim: text },
    });
    yield rareMistake('only-other-text', 'covers another text of the request, and no field', ALL, {
      text: { verbatim: text },
    });
  }
  for (const verbatim of context.keysOfOthers ?? []) {
    yield rareMistake(
      'key-of-another-partner',
      'is made with the signing key of another partner',
      KEY,
      {
        keyText: { verbatim },
      },
    );
  }
  if (sent.some(([, value]) => isEmpty(value))) {
    for (const word of EMPTY_WORDS) {
      yield rareMistake('empty-as-word', `writes ${word} for an empty value`, SKIP, {
        fields: eachValue((value) => (isEmpty(value) ? word : value)),
      });
    }
  }
  if (sent.some(([, value]) => typeof value === 'object' && value !== null)) {
    for (const [statement, fields] of LIST_FIELDS) {
      yield rareMistake('list-flattened', statement, LISTS, { fields });
    }
    for (const [statement, lists] of LIST_TEXTS) {
      yield rareMistake('list-as-text', statement, LISTS, { lists });
    }
  }
  for (const [statement, swaps] of SWAPS) {
    if (sent.some(([name]) => name === swaps[0]?.[0])) {
      yield rareMistake('values-exchanged', statement, SENT, { fields: swapped(swaps) });
    }
  }
  yield* someFields(sent);
}

const TEXT_PLACES: readonly (readonly [
  where: string,
  write: (key: string, text: string) => string,
])[] = [
  ['before', (key, text) => text + key],
  ['before', (key, text) => `${text}|${key}`],
  ['before', (key, text) => `${text}:${key}`],
  ['before', (key, text) => `${text}&${key}`],
  ['after', (key, text) => key + text],
  ['after', (key, text) => `${key}|${text}`],
  ['after', (key, text) => `${key}&${text}`],
];
