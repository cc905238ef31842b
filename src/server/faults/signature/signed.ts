import type { SignaturePairs } from '../../../interface/index.ts';
import {
  accepting,
  acceptingEstimates,
  alsoSignedAs,
  alsoSignedEstimates,
  alsoSignedWith,
} from '../accepted-signatures.ts';
import { because, type FaultDefinition, type FaultForms, fault } from '../fault.ts';
import { swapCase } from '../near-texts.ts';
import { type Condition, only } from '../only.ts';
import type { Replacement } from '../parts.ts';
import { named } from '../tables.ts';
import { withMethods } from '../with-methods.ts';

type Accepts = (signature: string, right: string) => boolean;

/** Comparisons of signatures that miss something, by name. */
const COMPARISONS: Readonly<Record<string, readonly [how: string, Accepts]>> = {
  'without-the-first': ['The first digit is not compared.', same((text) => text.slice(1))],
  'first-half': ['The first 16 digits are compared.', same((text) => text.slice(0, 16))],
  'first-eight': ['The first eight digits are compared.', same((text) => text.slice(0, 8))],
  'second-half': ['The last 16 digits are compared.', same((text) => text.slice(16))],
  'one-in-the-middle': [
    'The 17th digit is not compared.',
    same((text) => text.slice(0, 16) + text.slice(17)),
  ],
  'any-order': [
    'The digits are compared in any order.',
    same((text) => text.split('').toSorted().join('')),
  ],
  zeros: ['32 zeros pass.', (signature) => /^0{32}$/.test(signature)],
};

const anyHex: Replacement<'signatures'> = accepting(() => true);

/** The fields of which only those names are signed. */
const onlyNames =
  (...names: readonly string[]) =>
  (fields: SignaturePairs): readonly SignaturePairs[] => [
    Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name))),
  ];

/** Each of the fields of that name left out of the signature. */
const without =
  (isMeant: (name: string) => boolean) =>
  (fields: SignaturePairs): readonly SignaturePairs[] =>
    Object.keys(fields)
      .filter(isMeant)
      .map((name) => ({ ...fields, [name]: undefined }));

const KNOWN = ['grant_type', 'scope', '_', 'nostr', 'refresh_token', 'auth_code'];

const valuesRead = (read: (text: string) => string) =>
  alsoSignedAs((fields) => [
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        typeof value === 'string' ? read(value) : value,
      ]),
    ),
  ]);

/** Keys near to the right one. */
const NEAR_KEYS: Readonly<Record<string, readonly [key: string, of: (key: string) => string]>> = {
  'first-16': ['the first 16 characters of the key', (key) => key.slice(0, 16)],
  'without-the-first': ['the key without its first character', (key) => key.slice(1)],
  twice: ['the key twice', (key) => key + key],
  'upper-case': ['the key in upper case', (key) => key.toUpperCase()],
  'space-before': ['a space and the key', (key) => ` ${key}`],
};

/** Requests whose signature is not looked at. */
const UNCHECKED: Readonly<Record<string, readonly [where: string, Condition]>> = {
  'time-with-offset': ['With an offset in `_`', (one) => /[+-]\d\d:\d\d$/.test(one.text('_'))],
  'time-with-fraction': ['With a fraction in `_`', (one) => one.text('_').includes('.')],
  'in-capitals': [
    'With a signature in capitals',
    (one) => /\|[0-9A-F]{32}$/.test(one.authorization),
  ],
  'several-scopes': ['For several scopes', (one) => one.text('scope').includes(' ')],
  'spaced-body': ['With spaces in the body', (one) => /^\{\s/.test(one.body)],
};

/** Signatures that pass though they are not right. */
export const SIGNED_FORMS: FaultForms = {
  ...comparisons('signature/invalid-refused', (accepts) => ({ signatures: accepting(accepts) })),
  'signature/invalid-refused#any-digits': fault(
    'Any 32 hex digits pass for a signature.',
    { signatures: anyHex },
    because(
      'a signature made with another key, or over other fields, is 32 hex digits too',
      'signature/wrong-key-refused',
      'signature/covers-fields',
      'token/nostr-case',
    ),
  ),
  'signature/wrong-key-refused#empty-key': withKeys('the empty key', () => ['']),
  'signature/wrong-key-refused#another-partner': withKeys("another partner's key", (_, partners) =>
    partners.map(({ signingKey }) => signingKey),
  ),
  'signature/wrong-key-refused#partner-id': withKeys('the partner id', ({ id }) => [id]),
  'signature/wrong-key-refused#other-case': withKeys('the key in another case', (partner) => [
    partner.signingKey.toUpperCase(),
    partner.signingKey.toLowerCase(),
    swapCase(partner.signingKey),
  ]),
  'signature/wrong-key-refused#cut-by-one': withKeys(
    'the key without its last character',
    (one) => [one.signingKey.slice(0, -1)],
  ),
  'signature/wrong-key-refused#with-whitespace': withKeys('the key and a space', (one) => [
    `${one.signingKey} `,
    ` ${one.signingKey}`,
    `${one.signingKey}\n`,
  ]),
  ...named('signature/wrong-key-refused', NEAR_KEYS, ([key, keyOf]) =>
    withKeys(key, ({ signingKey }) => [keyOf(signingKey)]),
  ),
  ...named('signature/invalid-refused', UNCHECKED, ([where, condition]) =>
    only(
      fault(
        'Any 32 hex digits pass for a signature.',
        { signatures: anyHex },
        because('fields may be changed after signing', 'signature/covers-fields'),
      ),
      where,
      condition,
    ),
  ),
  'signature/covers-fields#another-own-refresh-token': anotherOwn('refresh_token'),
  'signature/covers-fields#another-own-code': anotherOwn('auth_code'),
  'signature/covers-fields#added-unknown-field': as(
    'An unknown field may be added after signing.',
    without((name) => !KNOWN.includes(name)),
  ),
  'signature/covers-fields#added-scope': as(
    'A scope may be added after signing.',
    without((name) => name === 'scope'),
  ),
  'signature/covers-fields#grant-type': as(
    'grant_type may be left out of the signature.',
    (fields) =>
      [undefined, 'client_credentials', 'refresh_token', 'authorization_code'].map(
        (grant_type) => ({
          ...fields,
          grant_type,
        }),
      ),
  ),
  'signature/covers-fields#timestamp': as(
    '`_` may be left out of the signature.',
    without((name) => name === '_'),
  ),
  'signature/covers-fields#nostr': as(
    'nostr may be left out of the signature.',
    without((name) => name === 'nostr'),
  ),
  'signature/covers-fields#refresh-token': as(
    'refresh_token may be left out of the signature.',
    without((name) => name === 'refresh_token'),
  ),
  'signature/covers-fields#auth-code': as(
    'auth_code may be left out of the signature.',
    without((name) => name === 'auth_code'),
  ),
  'signature/covers-fields#nostr-and-time-only': as(
    'A signature of nostr and `_` passes.',
    onlyNames('nostr', '_'),
  ),
  'signature/covers-fields#required-only': as(
    'A signature of the required fields passes.',
    onlyNames('nostr', '_', 'grant_type', 'refresh_token', 'auth_code'),
  ),
  'signature/covers-fields#nothing': as(
    'A signature of no field but grant_type passes.',
    onlyNames('grant_type'),
  ),
  'signature/covers-fields#first-scope': as('A signature of the first scope passes.', (fields) => [
    { ...fields, scope: textOf(fields['scope']).split(' ')[0] },
  ]),
  'signature/covers-fields#case-of-values': fault(
    'A signature of the values in lower case passes.',
    { signatures: valuesRead((text) => text.toLowerCase()) },
    because('nostr is a value', 'token/nostr-case'),
  ),
  'signature/covers-fields#seen-before': fault('A signature passes again with other fields.', {
    signatures: (check) => {
      const seen = new Set<string>();
      return withMethods(check, {
        isTokenSigned: (partner, fields, signature) => {
          const isSigned = check.isTokenSigned(partner, fields, signature);
          if (isSigned) seen.add(signature);
          return isSigned || seen.has(signature);
        },
      });
    },
  }),
  ...comparisons('auth/user-signature', (accepts) => ({ signatures: acceptingEstimates(accepts) })),
  'auth/user-signature#31-digits': fault('The last digit is not compared.', {
    signatures: acceptingEstimates(same((text) => text.slice(0, -1))),
  }),
  'auth/user-signature#empty-key': fault('A signature made with the empty key passes.', {
    signatures: alsoSignedEstimates((partner, parameters, signature, check) =>
      check.isEstimateSigned({ ...partner, signingKey: '' }, parameters, signature),
    ),
  }),
  'auth/user-signature#another-partner': fault(
    "A signature made with another partner's key passes.",
    {
      signatures: alsoSignedEstimates((_, parameters, signature, check, partners) =>
        partners.some((one) => check.isEstimateSigned(one, parameters, signature)),
      ),
    },
  ),
  'auth/user-signature#added-parameter': fault('A parameter may be added after signing.', {
    signatures: alsoSignedEstimates((partner, parameters, signature, check) =>
      ['imei', 'map_type', 'departure_time'].some((added) => {
        const { [added]: value, ...others } = parameters;
        return value !== undefined && check.isEstimateSigned(partner, others, signature);
      }),
    ),
  }),
};

function same(part: (text: string) => string): Accepts {
  return (signature, right) => part(signature) === part(right);
}

function comparisons(
  rule: 'signature/invalid-refused' | 'auth/user-signature',
  replace: (accepts: Accepts) => FaultDefinition['replace'],
): FaultForms {
  return Object.fromEntries(
    Object.entries(COMPARISONS).map(([form, [how, accepts]]) => [
      `${rule}#${form}`,
      fault(how, replace(accepts)),
    ]),
  );
}

function withKeys(key: string, keysOf: Parameters<typeof alsoSignedWith>[0]): FaultDefinition {
  return fault(`A signature made with ${key} passes.`, { signatures: alsoSignedWith(keysOf) });
}

/** A signature over another value that the partner was issued passes. */
function anotherOwn(name: 'refresh_token' | 'auth_code'): FaultDefinition {
  return fault(`A signature of another unused ${name} of the partner passes.`, {
    signatures: (check) => {
      const known = new Map<string, Set<unknown>>();
      return withMethods(check, {
        isTokenSigned: (partner, fields, signature) => {
          const own = known.get(partner.id) ?? new Set();
          known.set(partner.id, own);
          own.add(fields[name]);
          return [fields[name], ...own].some((value) =>
            check.isTokenSigned(partner, { ...fields, [name]: value }, signature),
          );
        },
      });
    },
  });
}

function as(how: string, fieldsOf: Parameters<typeof alsoSignedAs>[0]): FaultDefinition {
  return fault(how, { signatures: alsoSignedAs(fieldsOf) });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
