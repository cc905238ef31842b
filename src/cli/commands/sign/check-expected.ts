import { checkPairs, type PairsDiagnosis } from '../../../conformance/index.ts';
import type { SignatureExplanation } from '../../../interface/signature.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';
import { diagnosisLines, stepLines } from './text.ts';

/** A signature to be checked, and the right one. */
interface Expectation {
  readonly pairs: Record<string, unknown>;
  readonly key: string;
  readonly explanation: SignatureExplanation;
  readonly expected: string;
}

/** Prints whether the expected signature is right, with exit code 1 if it is not. */
export function checkExpected(
  { pairs, key, explanation, expected }: Expectation,
  { explain, json }: { readonly explain?: true; readonly json?: true },
  io: Io,
): void {
  const diagnosis = withoutKey(checkPairs(pairs, key, expected), key);
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
