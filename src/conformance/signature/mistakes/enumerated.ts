import {
  advised,
  choices,
  DOCUMENTED_RECIPE,
  joined,
  type Mistake,
  type Pairs,
  signBy,
} from '../recipe.ts';
import { ALL, KEY, SENT, SORT } from './advice.ts';
import { VALUE_CHANGES } from './values.ts';

const CUT = 'Sign the whole text; give it a buffer that is long enough.';

/** Fields of which every choice is tried: 2 to the power of so many. */
const MAX_CHOSEN = 11;
/** Fields of which every order is tried: 5040 of seven. */
const MAX_ORDERED = 7;
/** Fields that a program adds after it has sorted the others. */
const MAX_ADDED = 3;
/** Fields up to which every choice of {@link MAX_ADDED} of them is tried. */
const MAX_ADDED_OF = 14;
/** Longest text, in bytes, that is tried cut at each place; and longest value. */
const MAX_CUT = 512;
const MAX_CUT_VALUE = 40;

/** Mistakes that have many values, each of which is tried; only by themselves. */
export function* enumeratedMistakes(sent: Pairs, signingKey: string): Generator<Mistake> {
  const names = sent.filter(([, value]) => value !== '' && value !== null).map(([name]) => name);
  yield* ofOneField(sent);
  yield* keyAround(signingKey);
  yield* cuts(signBy(DOCUMENTED_RECIPE, sent, '').signedText);
  yield* orders(names.toSorted());
  yield* someFields(names);
}

/** Values of one field only that are written otherwise, or are still the name of a variable. */
function* ofOneField(sent: Pairs): Generator<Mistake> {
  for (const [name, value] of sent) {
    if (typeof value === 'object' || value === '') continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    for (const [id, statement, change] of VALUE_CHANGES) {
      const other = change(text);
      if (other !== text) yield* onlyIn(name, id, `${statement}, in "${name}" only`, other);
    }
    for (const other of placeholders(name)) {
      const statement = `covers ${other} in place of the value of "${name}"`;
      yield* onlyIn(name, 'placeholder', statement, other);
    }
  }
}

function onlyIn(at: string, id: string, statement: string, other: string): Mistake[] {
  return choices('fields', SENT, [
    [id, statement, (pairs) => pairs.map(([name, value]) => [name, name === at ? other : value])],
  ]);
}

const PLACEHOLDERS =
  '{{NAME}} {{$NAME}} ${NAME} $NAME {NAME} %NAME% <NAME> #{NAME} :NAME NAME %s undefined null None nil <nil> 1'.split(
    ' ',
  );

/** Names of a variable that was not replaced by its value. */
function placeholders(name: string): string[] {
  return [name, name.toUpperCase()].flatMap((one) =>
    PLACEHOLDERS.map((written) => written.replace('NAME', one)),
  );
}

/** The signing key in two parts, before and behind the text or its digest. */
function* keyAround(signingKey: string): Generator<Mistake> {
  yield* choices('terms', KEY, [
    [
      'key-in-text',
      'puts the signing key after each term',
      (name, value) => `${name}=${value}${signingKey}`,
    ],
  ]);
  for (let at = 1; at < Math.min(signingKey.length, MAX_CUT_VALUE); at++) {
    const [before, after] = [signingKey.slice(0, at), signingKey.slice(at)];
    const statement = `puts ${at} characters of the signing key first`;
    yield* choices('outer', KEY, [
      ['key-split', statement, ({ hash }, text) => hash(joined(before, hash(text), after))],
    ]);
  }
}

/** Signatures over some of the fields; one or two that are left out are tried elsewhere. */
function* someFields(names: readonly string[]): Generator<Mistake> {
  if (names.length > MAX_CHOSEN) return;
  for (let chosen = 1; chosen < 2 ** names.length; chosen++) {
    const left = names.filter((_, at) => (chosen & (1 << at)) !== 0);
    if (names.length - left.length < 3) continue;
    yield* choices('fields', ALL, [
      [
        'fields-missing',
        `covers only ${left.join(', ')}`,
        (pairs) => pairs.filter(([name]) => left.includes(name)),
      ],
    ]);
  }
}

/** Orders of a map that is sorted by nothing, and fields that are added to sorted ones. */
function* orders(names: readonly string[]): Generator<Mistake> {
  if (names.length <= MAX_ORDERED) {
    for (const order of arrangements(names, names.length)) yield* inOrder(order);
    return;
  }
  const most = names.length <= MAX_ADDED_OF ? MAX_ADDED : 1;
  for (let count = 1; count <= most; count++) {
    for (const added of arrangements(names, count)) {
      const others = names.filter((name) => !added.includes(name));
      yield* inOrder([...others, ...added]);
      yield* inOrder([...added, ...others]);
    }
  }
}

/** Each arrangement of so many of some names. */
function* arrangements(names: readonly string[], count: number): Generator<readonly string[]> {
  if (count === 0) yield [];
  else {
    for (const first of names) {
      const others = names.filter((name) => name !== first);
      for (const rest of arrangements(others, count - 1)) yield [first, ...rest];
    }
  }
}

function inOrder(names: readonly string[]): Mistake[] {
  const order = (pairs: Pairs): Pairs =>
    pairs.toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b));
  return choices('order', SORT, [
    ['order-other', `is made of pairs in the order ${names.join(', ')}`, order],
  ]);
}

/** Texts and values that are cut at any place. */
function* cuts(canonical: string): Generator<Mistake> {
  const bytes = Buffer.byteLength(canonical);
  for (let length = Math.min(bytes - 1, MAX_CUT); length > 0; length--) {
    // There, fields are left out.
    if (canonical[length] === '&') continue;
    const [chars, units] = [`${length} characters`, `${length} bytes`];
    yield* advised(CUT, [
      [
        'text-cut',
        `takes only the first ${chars} of the text`,
        { text: (text) => text.slice(0, length) },
      ],
      [
        'text-cut',
        `takes only the first ${units} of the text`,
        { charset: (text) => Buffer.from(text).subarray(0, length) },
      ],
    ]);
  }
  for (let length = MAX_CUT_VALUE; length > 0; length--) {
    yield* choices('values', CUT, [
      [
        'values-cut',
        `takes only the first ${length} characters of each value`,
        (text) => text.slice(0, length),
      ],
    ]);
  }
}
