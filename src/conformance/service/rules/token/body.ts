import type { Check } from '../../contract/check.ts';
import type { Fields, TokenAttempt } from '../../contract/messages.ts';
import { refusals, type Variant } from '../../contract/templates.ts';
import { ANY_KIND, requiredField } from './fields.ts';

/** Writes the body of a request from its JSON and its fields. */
type WriteBody = (json: string, fields: Fields) => string;

const withBody = ([words, write]: readonly [
  words: string,
  write: WriteBody,
]): Variant<TokenAttempt> => [
  `${words}, its signature right`,
  (ctx) => {
    const fields = ctx.base();
    return { fields, body: write(JSON.stringify(fields), fields) };
  },
];

/** A body that only a lenient reader of JSON reads: with a further field, signed as it reads that. */
const withLenientField = (words: string, json: string, read: string): Variant<TokenAttempt> => [
  `JSON with ${words}, its signature right`,
  (ctx) => {
    const fields = ctx.base();
    const body = JSON.stringify(fields).replace(/}$/, () => `,"remark":${json}}`);
    return { fields, signed: { ...fields, remark: read }, body };
  },
];

const BOUNDARY = '----fields';

const multipart: Variant<TokenAttempt> = [
  'the same fields as multipart/form-data, their signature right',
  (ctx) => {
    const fields = ctx.base();
    const parts = Object.entries(fields).map(
      ([name, value]) =>
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`,
    );
    const contentType = `multipart/form-data; boundary=${BOUNDARY}`;
    return { fields, body: `${parts.join('')}--${BOUNDARY}--\r\n`, contentType };
  },
];

const formEncoded = (contentType: string): Variant<TokenAttempt> => [
  `the same fields form-encoded, their signature right, as ${contentType}`,
  (ctx) => {
    const fields = ctx.base();
    const body = new URLSearchParams(fields as Record<string, string>).toString();
    return { fields, body, contentType };
  },
];

/** Bodies that are no JSON object, though a lenient reader finds the fields in most of them. */
const WRONG_BODIES: readonly (readonly [words: string, write: WriteBody])[] = [
  ['JSON with a letter after it', (json) => `${json}x`],
  ['JSON with a comma before its end', (json) => json.replace(/}$/, ',}')],
  ['JSON in single quotes', (json) => json.replaceAll('"', "'")],
  ['a list that contains the object', (json) => `[${json}]`],
  ['two objects, one after the other', (json) => json + json],
  ['JSON with a letter before it', (json) => `x${json}`],
  ['JSON without its closing brace', (json) => json.slice(0, -1)],
  ['JSON with a comment', (json) => json.replace('{', '{/* a comment */')],
  ['JSON as a text in JSON', (json) => JSON.stringify(json)],
  ['JSON whose names have no quotes', (json) => json.replace(/"(\w+)":/g, '$1:')],
  ['JSON with spaces for its commas', (json) => json.replaceAll('","', '" "')],
  ['JSON with = for its colons', (json) => json.replaceAll('":"', '"="')],
  ['JSON in parentheses', (json) => `(${json})`],
  ['JSON with semicolons for its commas', (json) => json.replaceAll('","', '";"')],
  [
    'the same fields as YAML',
    (_json, fields) =>
      Object.entries(fields)
        .map(([name, value]) => `${name}: ${String(value)}\n`)
        .join(''),
  ],
  ['an empty body', () => ''],
];

/**
 * Bodies that are not JSON, or JSON without the fields at its top. A byte order mark is none of them:
 * a parser may ignore it (RFC 8259, 8.1).
 */
const NOT_JSON: readonly Variant<TokenAttempt>[] = [
  formEncoded('application/x-www-form-urlencoded'),
  formEncoded('application/json'),
  ...WRONG_BODIES.map(withBody),
  [
    'an empty body, the fields as parameters of the URL, their signature right',
    (ctx) => ({ fields: ctx.base(), body: '', inQuery: true }),
  ],
  withBody(['JSON after a line of comment', (json) => `// a comment\n${json}`]),
  multipart,
  withBody([
    'the same fields as XML',
    (_json, fields) =>
      `<request>${Object.entries(fields)
        .map(([name, value]) => `<${name}>${String(value)}</${name}>`)
        .join('')}</request>`,
  ]),
  withLenientField('a line break in a text', '"one\nother"', 'one\nother'),
  withLenientField('NaN for a number', 'NaN', 'NaN'),
  withLenientField('NaN for a number that is written nan', 'NaN', 'nan'),
];

/** Changes of a grant_type that no interface has. */
const WRONG_GRANTS: readonly (readonly [what: string, write: (right: string) => unknown])[] = [
  ['in upper case', (right) => right.toUpperCase()],
  ['password', () => 'password'],
  ['without its last letter', (right) => right.slice(0, -1)],
  ['implicit', () => 'implicit'],
  ['with a letter after it', (right) => `${right}s`],
  ['with a hyphen for its underscore', (right) => right.replaceAll('_', '-')],
  ['and another one after a space', (right) => `${right} password`],
  ['and another one after a comma', (right) => `${right},password`],
  ['of a URN', () => 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
  ['with a capital letter', (right) => right.replace(/^./, (one) => one.toUpperCase())],
  ['without its underscore', (right) => right.replaceAll('_', '')],
  ['with a letter before it', (right) => `x${right}`],
  ['in a list', (right) => [right]],
  ['that is the number 0', () => 0],
  ['cut at its underscore', (right) => right.replace(/_.*/, '')],
  ['with a zero character and more after it', (right) => `${right}\0x`],
];

/** The base request with its grant_type changed. */
const withGrant = ([what, write]: (typeof WRONG_GRANTS)[number]): Variant<TokenAttempt> => [
  `the grant_type ${what}`,
  (ctx) => {
    const fields = ctx.base();
    return { fields: { ...fields, grant_type: write(String(fields['grant_type'])) } };
  },
];

const UNKNOWN_GRANTS: readonly Variant<TokenAttempt>[] = [
  ...WRONG_GRANTS.map(withGrant),
  ...['1', 'true'].map(
    (signed): Variant<TokenAttempt> => [
      `the grant_type that is the boolean true, signed as the text ${signed}`,
      (ctx) => {
        const fields = { ...ctx.base(), grant_type: true };
        return { fields, signed: { ...fields, grant_type: signed } };
      },
    ],
  ),
  // The name of a member that each object of JavaScript has.
  withGrant(['constructor', () => 'constructor']),
];

/** Checks of the body and of its grant_type (interface.md, "Token request body"). */
export const bodyChecks: readonly Check[] = [
  refusals({
    rule: 'token/json-body',
    baseRequest: 'platform',
    refusedAs: 'body-invalid',
    each: ANY_KIND,
    variants: NOT_JSON,
  }),
  requiredField({
    rule: 'token/grant-type-required',
    field: 'grant_type',
    each: ANY_KIND,
    wrong: 'password',
  }),
  refusals({
    rule: 'token/grant-type-known',
    baseRequest: 'platform',
    refusedAs: 'grant-type-unknown',
    each: ANY_KIND,
    variants: UNKNOWN_GRANTS,
  }),
];
