import { type Command, Option } from 'commander';
import { ConfigurationError, FareproofError } from '../../interface/errors.ts';
import { explainSignature, type SignatureExplanation } from '../../interface/signature.ts';
import { readStream } from '../files/text.ts';
import { type Io, print } from '../io.ts';
import { EXIT } from '../output/exit-codes.ts';

interface SignOptions {
  explain?: true;
  expect?: string;
  json?: true;
}

/** Defines `fareproof sign`: signs pairs from stdin with the key from the environment. */
export function defineSign(program: Command, io: Io): void {
  program
    .command('sign')
    .description('sign pairs given as JSON on stdin with the key in FAREPROOF_SIGNING_KEY')
    .option('--explain', 'print each of the six steps')
    .addOption(
      new Option(
        '--expect <signature>',
        'say whether it is right, and if not, which mistake explains it',
      ),
    )
    .addOption(new Option('--json', 'print {"canonical","innerMd5","signature"}'))
    .addHelpText(
      'after',
      `
Example:
  $ echo '{"grant_type":"client_credentials","_":"2026-03-01T00:30:00Z","nostr":"a1B2c3"}' \\
      | FAREPROOF_SIGNING_KEY=... fareproof sign --explain`,
    )
    .action(async (options: SignOptions) => {
      const pairs = parsePairs(await readStream(io.stdin, 'stdin'));
      const key = readKey(io);
      const explanation = explainOrNull(pairs, key, options, io);
      if (explanation === null) return;
      if (options.expect === undefined) print(io, render(explanation, options));
      else await printExpectation(io, pairs, key, explanation, options as ExpectOptions);
    });
}

type ExpectOptions = SignOptions & { expect: string };

function readKey(io: Io): string {
  const key = io.env['FAREPROOF_SIGNING_KEY'];
  if (key !== undefined) return key;
  throw new ConfigurationError(
    'SIGNING_KEY_MISSING',
    'FAREPROOF_SIGNING_KEY is not set; put the signing key there (keys never come as flags).',
  );
}

function parsePairs(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError('PAIRS_NOT_JSON', `stdin: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new ConfigurationError('PAIRS_NOT_OBJECT', 'stdin: give the pairs as one JSON object.');
  }
  refuseInexactNumbers(value as Record<string, unknown>);
  return value as Record<string, unknown>;
}

/** A number that JavaScript rounds would be signed as another one than was given. */
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

/** Null where the algorithm yields no signature (its step 1): said as such, exit 1. */
function explainOrNull(
  pairs: Record<string, unknown>,
  key: string,
  options: SignOptions,
  io: Io,
): SignatureExplanation | null {
  try {
    return explainSignature(pairs, key);
  } catch (error) {
    if (!(error instanceof FareproofError)) throw error;
    io.exit(EXIT.failed);
    if (options.json) {
      print(io, JSON.stringify({ canonical: null, innerMd5: null, signature: null }));
    } else {
      io.stderr.write(`error ${error.code}: ${error.message}\n`);
    }
    return null;
  }
}

function render(explanation: SignatureExplanation, options: SignOptions): string {
  const { canonical, innerMd5, signature } = explanation;
  if (options.json) return JSON.stringify({ canonical, innerMd5, signature });
  return options.explain ? renderSteps(explanation) : signature;
}

/** Some clients sign the key as a field: it is not shown. */
function withoutKey<
  Diagnosis extends { signedText: string | null; mistakes: readonly { id: string }[] },
>(diagnosis: Diagnosis, key: string): Diagnosis {
  const { signedText, mistakes } = diagnosis;
  if (signedText === null || !mistakes.some(({ id }) => id.startsWith('extra-field:'))) {
    return diagnosis;
  }
  return { ...diagnosis, signedText: signedText.replaceAll(key, '[signing key]') };
}

/** What the interface leaves open is no mistake; the reference server takes the defaults. */
function rightWords(gaps: readonly string[]): string {
  if (gaps.length === 0) return 'right';
  return `right, under another answer to what the interface leaves open (${gaps.join(', ')}; see \`fareproof rules\`)`;
}

function renderSteps(steps: SignatureExplanation): string {
  return [
    `1 pairs       ${steps.sortedKeys.length} given`,
    `2 sorted      ${steps.sortedKeys.map((key) => JSON.stringify(key)).join(' ')}`,
    `3 skipped     ${steps.skippedKeys.map((key) => JSON.stringify(key)).join(' ') || 'none is empty'}`,
    `4, 5 terms    ${steps.terms.map((term) => JSON.stringify(term)).join('\n              ')}`,
    `5 text S      ${steps.canonical}`,
    `6 MD5(S)      ${steps.innerMd5}`,
    `6 signature   ${steps.signature}`,
  ].join('\n');
}

async function printExpectation(
  io: Io,
  pairs: Record<string, unknown>,
  key: string,
  explanation: SignatureExplanation,
  options: ExpectOptions,
): Promise<void> {
  const { checkPairs } = await import('../../conformance/index.ts');
  const diagnosis = withoutKey(checkPairs(pairs, key, options.expect), key);
  if (diagnosis.verdict !== 'right') io.exit(EXIT.failed);
  if (options.json) {
    const { canonical, innerMd5, signature } = explanation;
    const { verdict, mistakes, signedText, gaps } = diagnosis;
    const found = { verdict, mistakes, signedText, ...(gaps.length > 0 && { gaps }) };
    print(io, JSON.stringify({ canonical, innerMd5, signature, ...found }));
    return;
  }
  if (options.explain) print(io, renderSteps(explanation));
  if (diagnosis.verdict === 'right') {
    print(io, rightWords(diagnosis.gaps));
    return;
  }
  print(io, 'wrong');
  for (const { statement, advice } of diagnosis.mistakes) {
    print(io, `the signature ${statement}\n  ${advice}`);
  }
  if (diagnosis.signedText === null) print(io, 'no known mistake, nor a pair of them, explains it');
  else print(io, `signed text  ${diagnosis.signedText}`);
  print(io, `right text   ${diagnosis.canonical}`);
  print(io, `right        ${explanation.signature}`);
}
