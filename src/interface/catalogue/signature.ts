import type { ServiceRuleText } from './rule.ts';

/** Rules for a service about the signature. */
export const SIGNATURE_RULES = [
  {
    id: 'signature/valid-accepted',
    level: 'must',
    statement: 'The service accepts a token request with a correct signature.',
    section: 'Signature algorithm',
    needs: ['partner'],
  },
  {
    id: 'signature/invalid-refused',
    level: 'must',
    statement:
      'The service refuses a token request whose signature is any other 32 hex digits than the correct ones.',
    section: 'Signature algorithm',
    needs: ['partner'],
  },
  {
    id: 'signature/wrong-key-refused',
    level: 'must',
    statement: 'The service refuses a signature made with another signing key.',
    section: 'Signature algorithm',
    needs: ['partner'],
  },
  {
    id: 'signature/covers-fields',
    level: 'must',
    statement: 'The service refuses a request in which a signed field was altered after signing.',
    section: 'Signature algorithm',
    needs: ['partner'],
  },
  {
    id: 'signature/key-order',
    level: 'must',
    statement:
      'The service sorts pairs by key: the order of the fields in the body does not matter.',
    section: 'Signature algorithm',
    needs: ['partner'],
  },
  {
    id: 'signature/empty-skipped',
    level: 'must',
    statement: 'The service leaves a pair with an empty value out of the signature.',
    section: 'Signature algorithm',
    needs: ['partner'],
  },
  {
    id: 'signature/zero-kept',
    level: 'must',
    statement: 'The service includes a pair whose value is the number 0 in the signature.',
    section: 'Signature algorithm',
    needs: ['partner'],
  },
  {
    id: 'signature/trimmed',
    level: 'must',
    statement: 'The service signs keys and values trimmed of surrounding whitespace.',
    section: 'Signature algorithm',
    needs: ['partner'],
  },
  {
    id: 'signature/array-json',
    level: 'must',
    statement: 'The service signs a list value as its JSON encoding, with non-ASCII text as UTF-8.',
    section: 'Signature algorithm',
    needs: ['partner'],
  },
  {
    id: 'signature/utf8',
    level: 'must',
    statement: 'The service signs non-ASCII text as UTF-8 bytes.',
    section: 'Signature algorithm',
    needs: ['partner'],
  },
  {
    id: 'signature/ampersands-stripped',
    level: 'must',
    statement: 'The service strips leading and trailing `&` from the joined terms.',
    section: 'Signature algorithm',
    needs: ['partner'],
  },
] as const satisfies readonly ServiceRuleText[];
