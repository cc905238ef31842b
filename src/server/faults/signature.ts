import type { SignatureCheck } from '../signature-check.ts';
import type { Partner } from '../state/partners.ts';
import type { TokenFields } from '../token/token-fields.ts';
import {
  withEmptyValues,
  withoutSorting,
  withoutStripping,
  withoutTrimming,
  withValues,
} from './broken-signers.ts';
import { type FaultsOf, fault } from './fault.ts';
import { withMethods } from './replace.ts';

const HEX = /^[0-9a-f]{32}$/i;

/** Faults of the rules on signatures. */
export const SIGNATURE_FAULTS: FaultsOf<'signature'> = {
  'signature/valid-accepted': fault('A correct signature is refused.', {
    signatures: (check) => withMethods(check, { isTokenSigned: () => false }),
  }),
  'signature/invalid-refused': fault(
    'Any 32 hex digits pass for a signature.',
    { signatures: (check) => accepting(check, () => true) },
    {
      rules: ['signature/wrong-key-refused', 'signature/covers-fields', 'token/nostr-case'],
      reason: 'a signature made with another key, or over other fields, is 32 hex digits too',
    },
  ),
  'signature/wrong-key-refused': fault(
    'Any 32 hex digits pass that are not the right ones with some digits changed.',
    { signatures: (check) => accepting(check, isFarFromRight) },
    {
      rules: ['signature/invalid-refused', 'signature/covers-fields', 'token/nostr-case'],
      reason:
        'a signature made with an unknown key looks like one made over other fields, or like chance',
    },
  ),
  'signature/covers-fields': fault(
    'Any 32 hex digits pass that are not the right ones with some digits changed.',
    { signatures: (check) => accepting(check, isFarFromRight) },
    {
      rules: ['signature/invalid-refused', 'signature/wrong-key-refused', 'token/nostr-case'],
      reason:
        'a signature made over other fields looks like one made with an unknown key, or like chance',
    },
  ),
  'signature/key-order': fault(
    'Where nostr comes before grant_type, pairs enter in the order of the body.',
    { tokenSigner: withoutSorting },
  ),
  'signature/empty-skipped': fault('A pair with an empty value enters as `key=`.', {
    tokenSigner: withEmptyValues,
  }),
  'signature/zero-kept': fault('A pair whose value is the number 0 is skipped.', {
    tokenSigner: withValues((value) => (value === 0 ? '' : value)),
  }),
  'signature/trimmed': fault('Key and value enter with their surrounding whitespace.', {
    tokenSigner: withoutTrimming,
  }),
  'signature/array-json': fault('A list enters as its elements joined by commas.', {
    tokenSigner: withValues((value) => (Array.isArray(value) ? value.join(',') : value)),
  }),
  'signature/utf8': fault('Each non-ASCII character of a text enters as a question mark.', {
    tokenSigner: withValues((value) =>
      typeof value === 'string' ? value.replace(/[^\0-\x7f]/gu, '?') : value,
    ),
  }),
  'signature/ampersands-stripped': fault('Leading and trailing `&` of the joined terms stay.', {
    tokenSigner: withoutStripping,
  }),
};

type Judge = (signature: string, right: string) => boolean;

/** Accepts further signatures than the right one, as long as they are 32 hex digits. */
function accepting(check: SignatureCheck, accepts: Judge): SignatureCheck {
  return withMethods(check, {
    isTokenSigned: (partner: Partner, fields: TokenFields, signature: string) => {
      if (check.isTokenSigned(partner, fields, signature)) return true;
      const right = check.tokenSignature(partner, fields);
      return right !== null && HEX.test(signature) && accepts(signature.toLowerCase(), right);
    },
  });
}

/** False for the right signature with some digits changed, and for one digit repeated. */
function isFarFromRight(signature: string, right: string): boolean {
  const agreeing = signature.split('').filter((digit, at) => digit === right[at]).length;
  return agreeing < 16 && new Set(signature).size > 1;
}
