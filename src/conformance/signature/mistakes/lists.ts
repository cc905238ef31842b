import {
  escapeNonAscii,
  formEncode,
  LIST_FORMS,
  pythonJson,
  unitEscape,
  upperEscape,
} from '../notations.ts';
import { advised, alike, choices, type Mistake, type MistakeRow, type Recipe } from '../recipe.ts';

const LISTS = 'Replace a list by its compact JSON, non-ASCII text as it is.';

type Names = (name: string, at: string) => string;

const flattened =
  (nameOf: Names): Recipe['fields'] =>
  (pairs) =>
    pairs.flatMap(([name, value]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([at, one]) => [nameOf(name, at), one] as const)
        : [[name, value] as const],
    );

/** Names of the items of a list that is signed item by item. */
const ITEM_NAMES: readonly (readonly [shown: string, nameOf: Names])[] = [
  ['as `name[0]`', (name, at) => `${name}[${at}]`],
  ['as `name[]`', (name) => `${name}[]`],
  ['under its name', (name) => name],
  ['as `name.0`', (name, at) => `${name}.${at}`],
  ['as `name0`', (name, at) => name + at],
];

const items = (value: object): unknown[] => Object.values(value);
const byText = (a: string, b: string): number => (a < b ? -1 : 1);

/** Other texts of a list. */
export const LIST_MISTAKES: readonly Mistake[] = [
  ...advised(
    LISTS,
    ITEM_NAMES.flatMap(([shown, nameOf]): MistakeRow[] => [
      ['list-flattened', `signs each item of a list ${shown}`, { fields: flattened(nameOf) }],
      [
        'list-flattened',
        `signs each item of a list ${shown}, and form-encodes names and values`,
        {
          fields: flattened((...name) => formEncode(nameOf(...name))),
          values: formEncode,
        },
      ],
    ]),
  ),
  ...choices('fields', LISTS, [
    ['list-dropped', 'leaves lists out', (pairs) => pairs.filter(([, one]) => !Array.isArray(one))],
  ]),
  ...choices(
    'lists',
    LISTS,
    alike<Recipe['lists']>('list-json', [
      ['writes a list with spaces and escapes, as Python writes JSON', pythonJson],
      ...[2, 4, '\t'].map(
        (indent) =>
          [
            'writes a list in lines',
            (value: object) => JSON.stringify(value, null, indent),
          ] as const,
      ),
      [
        'escapes `<`, `>` and `&` in a list, as Go writes JSON',
        (value) => JSON.stringify(value).replace(/[<>&]/g, unitEscape),
      ],
      [
        "escapes `<`, `>`, `&`, `=` and `'` in a list, as Gson writes JSON",
        (value) => JSON.stringify(value).replace(/[<>&=']/g, unitEscape),
      ],
      [
        'escapes signs and non-ASCII text in a list, as .NET writes JSON',
        (value) => JSON.stringify(value).replace(/[<>&'+`\u007f-\uffff]/g, upperEscape),
      ],
      [
        'escapes non-ASCII text in a list in upper-case hex',
        (value) => JSON.stringify(value).replace(/[\u0080-\uffff]/g, upperEscape),
      ],
      [
        'puts the JSON of a list in quotation marks',
        (value) => JSON.stringify(JSON.stringify(value)),
      ],
      [
        'escapes slashes and non-ASCII text in a list with spaces',
        (value) => escapeNonAscii(pythonJson(value)).replaceAll('/', '\\/'),
      ],
    ]),
  ),
  ...choices(
    'lists',
    LISTS,
    alike<Recipe['lists']>('list-as-text', [
      ['writes a list or object as JavaScript turns it into a text', String],
      ...[
        'Array',
        '[object Object]',
        '[object Array]',
        'System.String[]',
        'System.Collections.Generic.List`1[System.String]',
      ].map((text) => [`writes ${text} for a list`, () => text] as const),
      ['sorts lists', (value) => JSON.stringify(items(value).map(String).toSorted(byText))],
      [
        'writes a list without quotation marks and spaces',
        (value) => `[${items(value).join(',')}]`,
      ],
      ...LIST_FORMS.map(
        ([shown, write]) => [shown, (value: object) => write(items(value))] as const,
      ),
      ['takes only the first item of a list', (value) => String(items(value)[0])],
      ['takes only the last item of a list', (value) => String(items(value).at(-1))],
      ['writes the length of a list', (value) => String(items(value).length)],
    ]),
  ),
];
