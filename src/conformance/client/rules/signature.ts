import type { RequestKind, SignatureDiagnosis } from '../../../documents/parsed-request.ts';
import { MOST_SEARCHED_FIELDS } from '../../signature/check-signature.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { CheckOutcome, Violation } from './check.ts';

interface SignedRequest {
  readonly id: string;
  readonly kind: RequestKind;
  readonly signature: SignatureDiagnosis;
  /** True if an access_token stands in its place. */
  readonly isToken: boolean;
}

/** Correctness of SIGN, with the mistakes in a wrong one (interface.md, "Signature algorithm"). */
export function judgeSignatures({ requests, tokens }: Traffic): CheckOutcome {
  const signed = requests.flatMap(({ id, kind, signature, authorization }): SignedRequest | [] => {
    const isToken = tokens.some(({ accessToken }) => accessToken === authorization.second);
    return signature === null ? [] : { id, kind, signature, isToken };
  });
  // Those that can be explained come first: the report shows the first violation in full.
  const isExplained = ({ signature }: SignedRequest): boolean => signature.verdict === 'explained';
  const ordered = [...signed.filter(isExplained), ...signed.filter((one) => !isExplained(one))];
  const changesOrder = new Set(signed.flatMap(ordersOf)).size > 1;
  return {
    violations: ordered.flatMap((request) => wrongSignature(request, changesOrder) ?? []),
    judged: signed.map(({ id }) => id),
    passed: 'each signature is right',
    missing: 'no signature that can be checked was sent',
  };
}

/** The wrong orders in a signature, each with its keys. */
function ordersOf({ signature: { mistakes } }: SignedRequest): string[] {
  return mistakes.flatMap(({ id, statement }) => (id.startsWith('order-') ? statement : []));
}

/** @param changesOrder true if the order of the pairs is another one in other requests */
function wrongSignature(
  { id, kind, signature, isToken }: SignedRequest,
  changesOrder: boolean,
): Violation | null {
  if (signature.verdict === 'right') return null;
  const { canonical, signedText } = signature;
  const text = signedText === null ? '' : ` Signed: ${signedText}`;
  return {
    exchange: id,
    isExplained: signature.verdict === 'explained',
    expected: `the signature of ${canonical}`,
    got: `the signature of this ${kind} request is wrong: ${isToken ? IS_TOKEN : explanation(signature, changesOrder)}${text}`,
  };
}

const IS_TOKEN =
  'an access_token stands in its place; a token request is signed, also when one is refreshed.';

function explanation(
  { verdict, mistakes, unsearched }: SignatureDiagnosis,
  changesOrder: boolean,
): string {
  if (verdict === 'unexplained') {
    const why = unsearched
      ? `it has more than ${MOST_SEARCHED_FIELDS} fields, so no mistake was looked for`
      : 'no known mistake or pair of mistakes explains it';
    return `${why}; check that the signing key is the right one, that the values are signed as they are sent, and that nostr and \`_\` are generated once, not once to sign and once to send.`;
  }
  return mistakes
    .map(({ id, statement, advice }) => {
      const isOrder = changesOrder && id.startsWith('order-');
      const words = isOrder ? 'is made of pairs in an order that changes' : statement;
      return `it ${words} (${id}): ${advice}`;
    })
    .join(' And ');
}
