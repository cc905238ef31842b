import { checkPairs, type PairsDiagnosis } from '../../../conformance/signature/check-signature.ts';
import type { SignatureExplanation } from '../../../interface/signature.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';

/** The six steps of a signature, a line each. */
export function stepLines(steps: SignatureExplanation): string[] {
  const { sortedKeys, skippedKeys, terms, canonical, innerMd5, signature } = steps;
  const quoted = (texts: readonly string[], separator = ' '): string =>
    texts.map((text) => JSON.stringify(text)).join(separator);
  return [
    `1 pairs       ${sortedKeys.length} given`,
    `2 sorted      ${quoted(sortedKeys)}`,
    `3 skipped     ${quoted(skippedKeys) || 'none'}`,
    `4, 5 terms    ${quoted(terms, '\n              ')}`,
    `5 text S      ${canonical}`,
    `6 MD5(S)      ${innerMd5}`,
    `6 signature   ${signature}`,
  ];
}

/** A signature to be checked, and the right one. */
interface Expectation {
  readonly pairs: Record<string, unknown>;
  readonly key: string;
  /** Empty if it is not known. */
  readonly partnerId: string;
  readonly explanation: SignatureExplanation;
  readonly expected: string;
}

/** Prints whether the expected signature is right, with exit code 1 if it is not. */
export function checkExpected(
  { pairs, key, partnerId, explanation, expected }: Expectation,
  { explain, json }: { readonly explain?: true; readonly json?: true },
  io: Io,
): void {
  const diagnosis = withoutKey(checkPairs(pairs, key, expected, 'combined', partnerId), key);
  const { verdict, mistakes, signedText, gaps } = diagnosis;
  if (verdict !== 'right') io.exit(EXIT.failed);
  if (json) {
    const { canonical, innerMd5, signature } = explanation;
    const found = { verdict, mistakes, signedText, ...(gaps.length > 0 && { gaps }) };
    print(io, JSON.stringify({ canonical, innerMd5, signature, ...found }));
    return;
  }
  const steps = explain ? stepLines(explanation) : [];
  print(io, [...steps, ...diagnosisLines(diagnosis, explanation.signature)].join('\n'));
}

/** Hides the signing key in the text of a client that signs it as a field. */
function withoutKey(diagnosis: PairsDiagnosis, key: string): PairsDiagnosis {
  const { signedText, mistakes } = diagnosis;
  if (signedText === null || !mistakes.some(({ id }) => id.startsWith('extra-field:'))) {
    return diagnosis;
  }
  return { ...diagnosis, signedText: signedText.replaceAll(key, '[signing key]') };
}

/** The verdict on a signature and, for a wrong one, the mistakes and the right signature. */
function diagnosisLines(
  { verdict, gaps, mistakes, signedText, canonical }: PairsDiagnosis,
  rightSignature: string,
): string[] {
  if (verdict === 'right') return [rightLine(gaps)];
  return [
    'wrong',
    ...mistakes.map(({ statement, advice }) => `the signature ${statement}\n  ${advice}`),
    signedText === null
      ? 'no known mistake or pair of mistakes explains it'
      : `signed text  ${signedText}`,
    `right text   ${canonical}`,
    `right        ${rightSignature}`,
  ];
}

/** A signature is right under any answer to the gaps; those other than the defaults are named. */
function rightLine(gaps: readonly string[]): string {
  if (gaps.length === 0) return 'right';
  return `right, under another answer to a gap of the interface (${gaps.join(', ')}; see \`fareproof rules\`)`;
}
