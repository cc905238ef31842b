import type { PairsDiagnosis } from '../../../conformance/index.ts';
import type { SignatureExplanation } from '../../../interface/signature.ts';

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

/** The verdict on a signature and, for a wrong one, the mistakes and the right signature. */
export function diagnosisLines(
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
