import type { ServiceRuleId } from '../../interface/index.ts';
import type { FaultText } from './fault.ts';
import { alone, along } from './fault.ts';

type SignatureRule = Extract<ServiceRuleId, `signature/${string}`>;

/** How each rule on signatures is broken. */
export const SIGNATURE_FAULTS: Readonly<Record<SignatureRule, FaultText>> = {
  'signature/valid-accepted': alone('A correct signature is refused.'),
  'signature/invalid-refused': along(
    'Any 32 hex digits pass for a signature.',
    'a signature made with another key, or over other fields, is 32 hex digits too',
    ['signature/wrong-key-refused', 'signature/covers-fields', 'token/nostr-case'],
  ),
  'signature/wrong-key-refused': along(
    'Any 32 hex digits pass that are not the right ones with some digits changed.',
    'a signature made with an unknown key looks like one made over other fields, or like chance',
    ['signature/invalid-refused', 'signature/covers-fields', 'token/nostr-case'],
  ),
  'signature/covers-fields': along(
    'Any 32 hex digits pass that are not the right ones with some digits changed.',
    'a signature made over other fields looks like one made with an unknown key, or like chance',
    ['signature/invalid-refused', 'signature/wrong-key-refused', 'token/nostr-case'],
  ),
  'signature/key-order': alone(
    'Where nostr stands before grant_type, pairs enter in the order of the body.',
  ),
  'signature/empty-skipped': alone('A pair with an empty value enters as `key=`.'),
  'signature/zero-kept': alone('A pair whose value is the number 0 is skipped.'),
  'signature/trimmed': alone('Key and value enter with their surrounding whitespace.'),
  'signature/array-json': alone('A list enters as its elements joined by commas.'),
  'signature/utf8': alone('Each non-ASCII character of a text enters as a question mark.'),
  'signature/ampersands-stripped': alone('Leading and trailing `&` of the joined terms stay.'),
};
