import type { Pairs } from './recipe/pairs.ts';
import type { Mistake } from './recipe/recipe.ts';
import type { SigningContext } from './signing-context.ts';

/** Mistakes in the signed fields: a missing one, a surplus one, another value than the sent one. */
export function fieldMistakes(sent: Pairs, context: SigningContext): Mistake[] {
  const names = new Set(sent.map(([name]) => name));
  return [
    ...[...names].map(missingField),
    ...Object.entries(context.extraFields ?? {})
      .filter(([name]) => !names.has(name))
      .map(([name, value]) => extraField(name, value)),
    ...Object.entries(MISNOMERS).flatMap(([name, others]) =>
      names.has(name) ? others.map((other) => renamed(name, other)) : [],
    ),
    ...otherValues(context.otherValues),
    ...(context.bodyText === undefined ? [] : [bodyAsSent(context.bodyText)]),
    ...(context.queryText === undefined ? [] : [queryAsSent(context.queryText)]),
    ...(context.earlierPairs ?? []).map(signatureReused),
    ...(context.path === undefined
      ? []
      : PATH_PREFIXES.map((write) => pathIncluded(write(context)))),
    ...Object.entries(context.otherKeys ?? {}).map(([name, text]) => keyReplaced(name, text)),
    ...(context.keyInText ?? []).map(keyInText),
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

function pathIncluded(before: string): Mistake {
  return {
    id: 'path-included',
    statement: 'includes the path',
    advice: 'Sign the fields only, neither method nor path.',
    part: 'ends',
    apply: (recipe) => ({ ...recipe, ends: { before, after: '' } }),
  };
}

function keyInText(after: string): Mistake {
  return {
    id: 'key-in-text',
    statement: 'includes the signing key in the text',
    advice: 'Append the signing key to the inner digest only.',
    part: 'ends',
    apply: (recipe) => ({ ...recipe, ends: { before: '', after } }),
  };
}

function keyReplaced(name: string, verbatim: string): Mistake {
  return {
    id: `key-is-${name}`,
    statement: `takes ${KEY_NAMES[name] ?? name} for the signing key`,
    advice: 'Use the signing key that was assigned to the partner.',
    part: 'keyText',
    apply: (recipe) => ({ ...recipe, keyText: { verbatim } }),
  };
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  'partner-id': 'the partner id',
  'access-token': 'the access token',
  empty: 'an empty text',
};

function signatureReused(earlier: Pairs): Mistake {
  return inFields(
    'signature-reused',
    'is that of an earlier request',
    'Sign each request anew, with its own fields.',
    () => earlier,
  );
}

/** Names by which clients sign a field that is sent under its documented name. */
const MISNOMERS: Readonly<Record<string, readonly string[]>> = {
  _: ['timestamp', 'time', 'ts', 't'],
  nostr: ['nonce', 'nonce_str', 'noncestr', 'nonceStr'],
  auth_code: ['code', 'authCode'],
  grant_type: ['grantType', 'type'],
  refresh_token: ['refreshToken'],
};

function missingField(name: string): Mistake {
  return inFields(
    `missing-field:${name}`,
    `leaves out the field "${name}"`,
    `Sign every field that is sent, including "${name}".`,
    (pairs) => pairs.filter(([key]) => key !== name),
  );
}

function extraField(name: string, value: unknown): Mistake {
  return inFields(
    `extra-field:${name}`,
    `includes a field that was not sent, "${name}"`,
    `Sign only the fields that are sent; "${name}" is not one of them.`,
    (pairs) => [...pairs, [name, value]],
  );
}

function renamed(name: string, other: string): Mistake {
  return inFields(
    `renamed-field:${name}`,
    `covers "${name}" under another name, "${other}"`,
    `Sign "${name}" under the name by which it is sent.`,
    (pairs) => pairs.map((pair) => (pair[0] === name ? [other, pair[1]] : pair)),
  );
}

/** Mistakes of signing another value than the sent one, by name. */
export function otherValues(values: SigningContext['otherValues'] = {}): Mistake[] {
  return Object.entries(values).flatMap(([name, others]) =>
    others.map((value) =>
      inFields(
        `other-value:${name}`,
        `covers another "${name}" than the sent one`,
        `Generate "${name}" once; sign and send the same text.`,
        (pairs) => pairs.map((pair) => (pair[0] === name ? [name, value] : pair)),
      ),
    ),
  );
}

function bodyAsSent(verbatim: string): Mistake {
  return {
    id: 'body-as-sent',
    statement: 'is made of the body as it is sent',
    advice: 'Form each term as `key=value` and join the terms with `&`.',
    part: 'text',
    apply: (recipe) => ({ ...recipe, text: { verbatim } }),
  };
}

function queryAsSent(verbatim: string): Mistake {
  return {
    id: 'query-as-sent',
    statement: 'is made of the query as it is sent, encoded and not sorted',
    advice: 'Sort the pairs, skip the empty ones, and sign the values before any encoding.',
    part: 'text',
    apply: (recipe) => ({ ...recipe, text: { verbatim } }),
  };
}

function inFields(
  id: string,
  statement: string,
  advice: string,
  change: (pairs: Pairs) => Pairs,
): Mistake {
  const apply: Mistake['apply'] = (recipe) => ({
    ...recipe,
    fields: (pairs) => change(recipe.fields(pairs)),
  });
  return { id, statement, advice, part: 'fields', apply };
}
