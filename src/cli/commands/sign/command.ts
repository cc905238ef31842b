import type { Command } from 'commander';
import { parseJson, readStream } from '../../../app/files/text.ts';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import {
  explainSignature,
  requireMd5,
  type SignatureExplanation,
} from '../../../interface/signature.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { checkExpected, stepLines } from './explain.ts';

/** Flags of `fareproof sign`. */
interface SignFlags {
  readonly explain?: true;
  readonly expect?: string;
  readonly json?: true;
}

/** Defines `fareproof sign`: signs pairs from stdin with the key from the environment. */
export function defineSign(command: Command, io: Io): void {
  command
    .option('--explain', 'print each of the six steps')
    .option(
      '--expect <signature>',
      'print whether a signature is right, and if not, which mistake explains it; FAREPROOF_PARTNER_ID, if it is set, is one of the texts that a client may have signed with',
    )
    .option('--json', 'print {"canonical","innerMd5","signature"}')
    .addHelpText(
      'after',
      `
Example:
  $ echo '{"grant_type":"client_credentials","_":"2026-03-01T00:30:00Z","nostr":"a1B2c3"}' \\
      | FAREPROOF_SIGNING_KEY=... fareproof sign --explain`,
    )
    .action(async (flags: SignFlags) => {
      requireMd5();
      const pairs = parsePairs(await readStream(io.stdin, 'stdin'));
      const key = readKey(io);
      await io.secrets.add('signing_key', key);
      const explanation = explainOrRefuse(pairs, key, flags, io);
      if (explanation === null) return;
      const { canonical, innerMd5, signature } = explanation;
      if (flags.expect !== undefined) {
        const partnerId = io.env['FAREPROOF_PARTNER_ID'] ?? '';
        checkExpected({ pairs, key, partnerId, explanation, expected: flags.expect }, flags, io);
      } else if (flags.json) print(io, JSON.stringify({ canonical, innerMd5, signature }));
      else if (flags.explain) print(io, stepLines(explanation).join('\n'));
      else print(io, signature);
    });
}

function readKey(io: Io): string {
  const key = io.env['FAREPROOF_SIGNING_KEY'];
  if (key !== undefined) return key;
  throw new ConfigurationError(
    'SIGNING_KEY_MISSING',
    'FAREPROOF_SIGNING_KEY is not set; set it to the signing key (keys are never passed as flags).',
  );
}

/** Null for pairs that have no signature (step 1), which is printed, with exit code 1. */
function explainOrRefuse(
  pairs: Record<string, unknown>,
  key: string,
  { json }: SignFlags,
  io: Io,
): SignatureExplanation | null {
  try {
    return explainSignature(pairs, key);
  } catch (error) {
    if (!(error instanceof FareproofError)) throw error;
    io.exit(EXIT.failed);
    if (json) print(io, JSON.stringify({ canonical: null, innerMd5: null, signature: null }));
    else io.note(`error ${error.code}: ${error.message}`);
    return null;
  }
}

/**
 * Parses the pairs to be signed.
 *
 * @throws ConfigurationError `PAIRS_NOT_JSON`, `PAIRS_NOT_OBJECT` or `PAIRS_NUMBER_INEXACT`
 */
function parsePairs(text: string): Record<string, unknown> {
  const value = parseJson(text, 'stdin', 'PAIRS_NOT_JSON');
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
