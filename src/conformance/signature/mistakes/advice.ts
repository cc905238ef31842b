/** Advice that several tables of mistakes give (interface.md, "Signature algorithm"). */
export const ALL = 'Sign every field that is sent, and no other one.';
export const SORT = 'Sort the pairs by the bytes of their keys, in ascending order.';
export const SENT = 'Sign each value as it is sent.';
export const KEY = 'Append the signing key as it is, without a separator.';
export const TERMS = 'Form each term as `key=value` and join the terms with `&`.';
export const DIGEST = 'The signature is MD5(hex MD5(S) followed by the signing key), in hex.';
export const HEX = 'Write the digest as 32 hex digits.';
export const SKIP = 'Skip every pair whose value is empty; keep the number 0.';
export const TRIM = 'Trim ASCII whitespace around key and value, after skipping empty values.';
export const PLAIN = 'Sign the values as they are, before any encoding of the request.';
export const STRIP = 'Strip `&` at both ends of the joined terms.';
export const BYTES = 'Hash the UTF-8 bytes of the text.';
