import type { Mistake } from './recipe/recipe.ts';
import type { Pairs } from './recipe/text.ts';
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
  ];
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
