import { advised, around, choices, type Mistake, type Pairs } from '../recipe.ts';
import type { SigningContext } from '../signing-context.ts';
import { TERMS } from './advice.ts';

const KEY = 'Use the signing key that was assigned to the partner.';

/** Mistakes in the signed fields, or with other texts of the request; also tried in pairs. */
export function fieldMistakes(sent: Pairs, context: SigningContext): Mistake[] {
  const names = [...new Set(sent.map(([name]) => name))];
  const { extraFields = {}, bodyText, queryText, otherKeys = {} } = context;
  return [
    ...names.flatMap(miscountedField),
    ...otherValues(context.otherValues),
    ...Object.entries(extraFields)
      .filter(([name]) => !names.includes(name))
      .flatMap(([name, value]) => extraField(name, value)),
    ...Object.entries(MISNOMERS).flatMap(([name, others]) =>
      names.includes(name) ? others.flatMap((other) => renamed(name, other)) : [],
    ),
    ...textAsSent('body-as-sent', 'is made of the body as it is sent', bodyText),
    ...textAsSent(
      'query-as-sent',
      'is made of the query as it is sent, encoded and not sorted',
      queryText,
    ),
    ...(context.rawPairs ?? []).flatMap(([sign, pairs]) =>
      choices('fields', `Percent-encode \`${sign}\` in the values of a query.`, [
        ['sign-unencoded', `covers \`${sign}\`, which the query carries unencoded`, () => pairs],
      ]),
    ),
    ...choices(
      'fields',
      'Sign each request anew, with its own fields.',
      (context.earlierPairs ?? []).map((earlier) => [
        'signature-reused',
        'is that of an earlier request',
        () => earlier,
      ]),
    ),
    ...choices(
      'ends',
      'Sign the fields only, neither method nor path.',
      (context.path === undefined ? [] : PATH_PREFIXES).map((write) => [
        'path-included',
        'includes the path',
        around(write(context), ''),
      ]),
    ),
    ...choices(
      'keyText',
      KEY,
      Object.entries(otherKeys).map(([name, text]) => [
        `key-is-${name}`,
        `takes ${name === 'empty' ? 'an empty text' : `the ${name.replace('-', ' ')}`} for the signing key`,
        () => text,
      ]),
    ),
    ...choices(
      'ends',
      'Append the signing key to the inner digest only.',
      (context.keyInText ?? []).map((after) => [
        'key-in-text',
        'includes the signing key in the text',
        around('', after),
      ]),
    ),
  ];
}

/** Texts with the path that clients put before the terms. */
const PATH_PREFIXES: readonly ((context: SigningContext) => string)[] = [
  ({ path }) => `${path}`,
  ({ path }) => `${path}?`,
  ({ path }) => `${path}&`,
  ({ path, method }) => `${method}${path}`,
  ({ path, method }) => `${method}${path}?`,
  ({ path, method }) => `${method} ${path}`,
  ({ path, method }) => `${method}&${path}&`,
  ({ path, method }) => `${method}\n${path}\n`,
];

/** Names by which clients sign a field that is sent under its documented name. */
const MISNOMERS: Readonly<Record<string, readonly string[]>> = {
  _: ['timestamp', 'time', 'ts', 't'],
  nostr: ['nonce', 'nonce_str', 'noncestr', 'nonceStr'],
  auth_code: ['code', 'authCode'],
  grant_type: ['grantType', 'type'],
  refresh_token: ['refreshToken'],
};

const fieldAdvice = (name: string): string =>
  /^sign(ature)?$/i.test(name)
    ? `Do not send "${name}": the signature stands in Authorization.`
    : `Sign every field that is sent, each of them once, "${name}" too.`;

const miscountedField = (name: string): Mistake[] =>
  choices('fields', fieldAdvice(name), [
    [
      `missing-field:${name}`,
      `leaves out the field "${name}"`,
      (pairs) => pairs.filter(([key]) => key !== name),
    ],
    [
      `field-twice:${name}`,
      `covers the field "${name}" twice`,
      (pairs) => pairs.flatMap((pair) => (pair[0] === name ? [pair, pair] : [pair])),
    ],
  ]);

const extraField = (name: string, value: unknown): Mistake[] =>
  advised(`Sign only the fields that are sent; "${name}" is not one of them.`, [
    [
      `extra-field:${name}`,
      `includes a field that was not sent, "${name}"`,
      { fields: (pairs) => [...pairs, [name, value]] },
    ],
  ]);

const renamed = (name: string, other: string): Mistake[] =>
  advised(`Sign "${name}" under the name by which it is sent.`, [
    [
      `renamed-field:${name}`,
      `covers "${name}" under another name, "${other}"`,
      { fields: (pairs) => pairs.map((pair) => (pair[0] === name ? [other, pair[1]] : pair)) },
    ],
  ]);

/** Fields that a client makes anew for each request. */
const GENERATED: ReadonlySet<string> = new Set(['_', 'nostr']);
const SECRETS: ReadonlySet<string> = new Set(['auth_code', 'refresh_token']);

/** Mistakes of signing another value than the sent one, by name. */
export function otherValues(values: SigningContext['otherValues'] = {}): Mistake[] {
  return Object.entries(values).flatMap(([name, others]) =>
    advised(
      GENERATED.has(name)
        ? `Generate "${name}" once; sign and send the same text.`
        : `Sign "${name}" as it is sent.`,
      others.map((value) => [
        `other-value:${name}`,
        `covers another "${name}" than the sent one${SECRETS.has(name) ? '' : `: ${JSON.stringify(value)}`}`,
        { fields: (pairs) => pairs.map((pair) => (pair[0] === name ? [name, value] : pair)) },
      ]),
    ),
  );
}

const textAsSent = (id: string, statement: string, text: string | undefined): Mistake[] =>
  text === undefined ? [] : choices('text', TERMS, [[id, statement, () => text]]);
