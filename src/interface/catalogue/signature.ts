import { must, rulesOf } from './rule.ts';

/** Rules for a service about the signature. */
export const SIGNATURE_RULES = rulesOf('service', ['partner'], {
  'signature/valid-accepted': must(
    'The service accepts a token request with a correct signature.',
    'Signature algorithm',
  ),
  'signature/invalid-refused': must(
    'The service refuses a token request whose signature is any other 32 hex digits than the correct ones.',
    'Signature algorithm',
  ),
  'signature/wrong-key-refused': must(
    'The service refuses a signature made with another signing key.',
    'Signature algorithm',
  ),
  'signature/covers-fields': must(
    'The service refuses a request in which a signed field was altered after signing.',
    'Signature algorithm',
  ),
  'signature/key-order': must(
    'The service sorts pairs by key: the order of the fields in the body does not matter.',
    'Signature algorithm',
  ),
  'signature/empty-skipped': must(
    'The service leaves a pair with an empty value out of the signature.',
    'Signature algorithm',
  ),
  'signature/zero-kept': must(
    'The service includes a pair whose value is the number 0 in the signature.',
    'Signature algorithm',
  ),
  'signature/trimmed': must(
    'The service signs keys and values trimmed of surrounding whitespace.',
    'Signature algorithm',
  ),
  'signature/array-json': must(
    'The service signs a list value as its JSON encoding, with non-ASCII text as UTF-8.',
    'Signature algorithm',
  ),
  'signature/utf8': must('The service signs non-ASCII text as UTF-8 bytes.', 'Signature algorithm'),
  'signature/ampersands-stripped': must(
    'The service strips leading and trailing `&` from the joined terms.',
    'Signature algorithm',
  ),
});
