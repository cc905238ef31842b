import {
  escapeNonAscii,
  pythonJson,
  pythonShown,
  spacedJson,
  type TextChange,
  unitEscape,
} from '../notations.ts';
import { advised, type Mistake, type Pairs } from '../recipe.ts';
import { TERMS } from './advice.ts';

type Write = (pairs: Pairs) => string;

const json: Write = (pairs) => JSON.stringify(Object.fromEntries(pairs));
const indented =
  (spaces: number): Write =>
  (pairs) =>
    JSON.stringify(Object.fromEntries(pairs), null, spaces);
const withSlashes: TextChange = (text) => text.replaceAll('/', '\\/');

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

type Printed = readonly [
  language: string,
  term: (name: string, value: string) => string,
  joint: string,
  before: string,
  after: string,
];

type WritingRow = readonly [id: string, statement: string, write: Write];

/** Texts of all signed pairs, as languages and libraries write them, by id. */
const WRITINGS: readonly WritingRow[] = [
  ...(
    [
      ['json', '', json],
      ['json-escaped', ' with `\\u` for non-ASCII text', (all) => escapeNonAscii(json(all))],
      ['json-slashes', ' with `\\/`', (all) => withSlashes(json(all))],
      ['json-php', ' as PHP writes it', (all) => withSlashes(escapeNonAscii(json(all)))],
      ['json-go', ' as Go writes it', (all) => json(all).replace(/[<>&]/g, unitEscape)],
      ['json-gson', ' as Gson writes it', (all) => json(all).replace(/[<>&=']/g, unitEscape)],
      ['json-spaced', ' with spaces', (all) => spacedJson(Object.fromEntries(all))],
      ['json-python', ' as Python writes it', (all) => pythonJson(Object.fromEntries(all))],
    ] satisfies readonly WritingRow[]
  ).map(([id, how, write]): WritingRow => [id, `is made of JSON${how}`, write]),
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
  ...(
    [
      ['.NET', (a, b) => `[${a}, ${b}]`, '&', '', ''],
      ['.NET', (a, b) => `[${a}, ${b}]`, ', ', '', ''],
      ['Elixir', (a, b) => `"${a}" => "${b}"`, ', ', '%{', '}'],
      ['Ruby', (a, b) => `"${a}" => "${b}"`, ', ', '{', '}'],
      ['Ruby', (a, b) => `${a}: "${b}"`, ', ', '{', '}'],
      ['Ruby', (a, b) => `:${a}=>"${b}"`, ', ', '{', '}'],
      ['Swift', (a, b) => `"${a}": "${b}"`, ', ', '[', ']'],
      ['Dart', (a, b) => `${a}: ${b}`, ', ', '{', '}'],
      ['Groovy', (a, b) => `${a}:${b}`, ', ', '[', ']'],
      ['Scala', (a, b) => `${a} -> ${b}`, ', ', 'Map(', ')'],
      ['Kotlin', (a, b) => `(${a}, ${b})`, ', ', '[', ']'],
      ['Scala', (a, b) => `(${a},${b})`, ', ', 'List(', ')'],
      ['Clojure', (a, b) => `:${a} "${b}"`, ', ', '{', '}'],
      ['Go', (a, b) => `${a}:[${b}]`, ' ', 'map[', ']'],
      ['Java', (a, b) => `${a}=${b}`, ', ', '[', ']'],
      ['Erlang', (a, b) => `${a}=<<"${b}">>`, '&', '', ''],
      ['Erlang', (a, b) => `{<<"${a}">>,<<"${b}">>}`, ',', '[', ']'],
      ['Python', (a, b) => `('${a}', '${b}')`, ', ', 'OrderedDict([', '])'],
      ['Python', (a, b) => `('${a}', '${b}')`, ', ', 'dict_items([', '])'],
      ['XML', (a, b) => `<${a}>${b}</${a}>`, '', '<xml>', '</xml>'],
      ['YAML', (a, b) => `${a}: ${b}\n`, '', '', ''],
      ['a file of properties', (a, b) => `${a}=${b}\n`, '', '', ''],
    ] satisfies readonly Printed[]
  ).map(
    ([language, term, joint, before, after]): WritingRow => [
      'printed',
      `is made of the pairs as ${language} prints them`,
      joinedBy((a, b) => term(a, String(b)), joint, [before, after]),
    ],
  ),
  ['lines-colon', 'is made of lines with `:`', joinedBy((a, b) => `${a}:${String(b)}`, '\n')],
  ['lines-colon', 'ends lines with `:` in them', joinedBy((a, b) => `${a}:${String(b)}\n`, '')],
];

/** Pairs written as a whole in another way. */
export const WRITING_MISTAKES: readonly Mistake[] = advised(
  TERMS,
  WRITINGS.map(([id, statement, written]) => [`text-as-${id}`, statement, { written }]),
);
