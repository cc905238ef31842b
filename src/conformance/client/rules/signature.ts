import type { RequestKind, SignatureDiagnosis } from '../../../documents/parsed-request.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { CheckOutcome, ClientCheck, Violation } from './check.ts';

/** Correctness of SIGN, with the mistakes in a wrong one (interface.md, "Signature algorithm"). */
export const SIGNATURE_CHECKS: readonly ClientCheck[] = [
  { rule: 'client/signature', judge: judgeSignatures },
];

interface SignedRequest {
  readonly id: string;
  readonly kind: RequestKind;
  readonly signature: SignatureDiagnosis;
}

function judgeSignatures({ requests }: Traffic): CheckOutcome {
  const signed = requests.flatMap(({ id, kind, signature }): SignedRequest | [] =>
    signature === null ? [] : { id, kind, signature },
  );
  // Those that can be explained come first: the report shows the first violation in full.
  const isExplained = ({ signature }: SignedRequest): boolean => signature.verdict === 'explained';
  const ordered = [...signed.filter(isExplained), ...signed.filter((one) => !isExplained(one))];
  return {
    violations: ordered.flatMap((request) => wrongSignature(request) ?? []),
    judged: signed.map(({ id }) => id),
    passed: 'each signature is right',
    missing: 'no signature that can be checked was sent',
  };
}

function wrongSignature({ id, kind, signature }: SignedRequest): Violation | null {
  if (signature.verdict === 'right') return null;
  const { canonical, signedText } = signature;
  const text = signedText === null ? '' : ` Signed: ${signedText}`;
  return {
    exchange: id,
    expected: `the signature of ${canonical}`,
    got: `the signature of this ${kind} request is wrong: ${explanation(signature)}${text}`,
  };
}

function explanation({ verdict, mistakes }: SignatureDiagnosis): string {
  if (verdict === 'unexplained') {
    return 'no known mistake or pair of mistakes explains it; check that the signing key is the right one, that the values are signed as they are sent, and that nostr and `_` are generated once, not once to sign and once to send.';
  }
  return mistakes
    .map(({ id, statement, advice }) => `it ${statement} (${id}): ${advice}`)
    .join(' And ');
}
