import { advised, type Mistake, type Pairs, type TextChange } from '../recipe.ts';
import { escapeNonAscii, pythonShown, spacedJson } from './notations.ts';

const TERMS = 'Form each term as `key=value` and join the terms with `&`.';

type Write = (pairs: Pairs) => string;

const json: Write = (pairs) => JSON.stringify(Object.fromEntries(pairs));
const indented =
  (spaces: number): Write =>
  (pairs) =>
    JSON.stringify(Object.fromEntries(pairs), null, spaces);
const withSlashes: TextChange = (text) => text.replaceAll('/', '\\/');
const unitEscapes =
  (units: RegExp): TextChange =>
  (text) =>
    text.replace(units, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`);

const shown = (value: unknown): string => JSON.stringify(value) ?? 'null';

function serialised(pairs: Pairs): string {
  const text = (one: unknown): string => `s:${Buffer.byteLength(String(one))}:"${String(one)}";`;
  const members = pairs.map(([name, value]) => text(name) + text(value));
  return `a:${pairs.length}:{${members.join('')}}`;
}

const joinedBy =
  (write: (name: string, value: unknown) => string, joint: string, [before, after] = ['', '']) =>
  (pairs: Pairs): string =>
    `${before}${pairs.map(([name, value]) => write(name, value)).join(joint)}${after}`;

/** Texts of all signed pairs, as languages and libraries write them, by id. */
const WRITINGS: readonly (readonly [id: string, statement: string, write: Write])[] = [
  ['json', 'is made of JSON', json],
  [
    'json-escaped',
    'is made of JSON with `\\u` for non-ASCII text',
    (all) => escapeNonAscii(json(all)),
  ],
  ['json-slashes', 'is made of JSON with `\\/`', (all) => withSlashes(json(all))],
  ['json-php', 'is made of JSON as PHP writes it', (all) => withSlashes(escapeNonAscii(json(all)))],
  ['json-go', 'is made of JSON as Go writes it', (all) => unitEscapes(/[<>&]/g)(json(all))],
  ['json-gson', 'is made of JSON as Gson writes it', (all) => unitEscapes(/[<>&=']/g)(json(all))],
  ['json-spaced', 'is made of JSON with spaces', (all) => spacedJson(Object.fromEntries(all))],
  [
    'json-python',
    'is made of JSON as Python writes it',
    (all) => escapeNonAscii(spacedJson(Object.fromEntries(all))),
  ],
  ['json-indented', 'is made of JSON in lines', indented(2)],
  ['json-indented', 'is made of JSON in lines', indented(4)],
  ['json-list', 'is made of a JSON list of keys and values', (all) => JSON.stringify(all)],
  [
    'python-dict',
    'is made of a dict as Python prints it',
    joinedBy((name, value) => `${pythonShown(name)}: ${pythonShown(value)}`, ', ', ['{', '}']),
  ],
  [
    'python-list',
    'is made of a list as Python prints it',
    joinedBy((name, value) => `(${pythonShown(name)}, ${pythonShown(value)})`, ', ', ['[', ']']),
  ],
  [
    'ruby-array',
    'is made of an array as Ruby prints it',
    joinedBy((name, value) => `[${shown(name)}, ${shown(value)}]`, ', ', ['[', ']']),
  ],
  ['php-serialized', 'is made of an array as PHP serializes it', serialised],
  [
    'terms-comma',
    'writes `,` between all keys and values',
    joinedBy((a, b) => `${a},${String(b)}`, ','),
  ],
  ['lines-colon', 'is made of lines with `:`', joinedBy((a, b) => `${a}:${String(b)}`, '\n')],
  ['lines-colon', 'ends lines with `:` in them', joinedBy((a, b) => `${a}:${String(b)}\n`, '')],
];

/** Pairs written as a whole in another way. */
export const WRITING_MISTAKES: readonly Mistake[] = advised(
  TERMS,
  WRITINGS.map(([id, statement, written]) => [`text-as-${id}`, statement, { written }]),
);
