import { parseJson } from '../../../app/files/text.ts';
import { ConfigurationError } from '../../../interface/errors.ts';

/**
 * Parses the pairs to be signed.
 *
 * @throws ConfigurationError `PAIRS_NOT_JSON`, `PAIRS_NOT_OBJECT` or `PAIRS_NUMBER_INEXACT`
 */
export function parsePairs(text: string): Record<string, unknown> {
  const value = parseJson(text, 'stdin: is not JSON', 'PAIRS_NOT_JSON');
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new ConfigurationError('PAIRS_NOT_OBJECT', 'stdin: give the pairs as one JSON object.');
  }
  const pairs = value as Record<string, unknown>;
  refuseInexactNumbers(pairs);
  return pairs;
}

/** JavaScript would round such a number, and sign another one than was given. */
function refuseInexactNumbers(pairs: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(pairs)) {
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
      throw new ConfigurationError(
        'PAIRS_NUMBER_INEXACT',
        `stdin: ${field}: the number is beyond exact integers; give it as text.`,
      );
    }
  }
}
