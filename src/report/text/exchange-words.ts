import type { RuleResult } from '../../documents/conformance.ts';
import type { Exchange } from '../../documents/exchange.ts';
import type { TextFact } from './load-words.ts';
import { formatCount } from './quantities.ts';

const KEYS: Readonly<Record<NonNullable<Exchange['signed']>['key'], string | null>> = {
  own: null,
  empty: 'the empty key, on purpose',
  'partner-id': "the partner's id, on purpose",
  other: 'another key, on purpose',
};

/**
 * Facts about what was signed for a request: the text S before the digest, and how the signature differs from the
 * right one. Empty for a request without a signature.
 */
export function signedFacts({ signed, observed }: Exchange): TextFact[] {
  if (signed) {
    const { text, key, alteration } = signed;
    if (text === null) return [['signed', 'nothing: the signature was made up']];
    const other = KEYS[key];
    return [
      ['signed', text],
      ...(other === null ? [] : [['key', other] as const]),
      ...(alteration === undefined ? [] : [['signature', alteration] as const]),
    ];
  }
  const seen = observed?.signature;
  if (!seen) return [];
  const { verdict, signedText, canonical } = seen;
  if (verdict === 'right') return [['signed', canonical]];
  return [
    ...(signedText === null ? [] : [['signed', signedText] as const]),
    ['to be signed', canonical],
  ];
}

/** Bytes of the body that was sent, and of the one that came; null where there is none. */
export function byteWords({ request, response }: Exchange): {
  readonly sent: string | null;
  readonly received: string | null;
} {
  const { bodyBytes = declaredBytes(request.headers) } = request;
  return {
    sent: bodyBytes === null ? null : `${formatCount(bodyBytes)} bytes sent`,
    received: response && receivedWords(response),
  };
}

type StoredAnswer = NonNullable<Exchange['response']>;

/** Parts of an answer that the document leaves out; null if it has all of it. */
export function cutWords({ truncated, cut }: StoredAnswer): string | null {
  const { bodyBytes = 0, headerFields = 0 } = cut ?? {};
  const parts = [
    ...(bodyBytes === 0 ? [] : [`${formatCount(bodyBytes)} bytes`]),
    ...(headerFields === 0 ? [] : [`${formatCount(headerFields)} header fields`]),
  ];
  if (parts.length > 0) return `cut ${parts.join(' and ')}`;
  return truncated ? 'stored in part' : null;
}

function receivedWords(response: StoredAnswer): string {
  const { headers, bodyBytes, cut } = response;
  const words = cutWords(response);
  const declared = declaredBytes(headers);
  const encoding = headers['content-encoding'];
  return [
    `${formatCount(bodyBytes)} bytes received${encoding === undefined ? '' : ', decoded'}`,
    // Of header fields that were cut, none is known to be missing.
    ...(declared === null && !cut?.headerFields ? ['no Content-Length'] : []),
    ...(declared === null ? [] : [`Content-Length ${formatCount(declared)}`]),
    ...(words === null ? [] : [words]),
  ].join('; ');
}

function declaredBytes(headers: Readonly<Record<string, string>>): number | null {
  const declared = headers['content-length'];
  return declared !== undefined && /^\d{1,15}$/.test(declared) ? Number(declared) : null;
}

/** Characters of a signed text that a terminal shows. */
const SHORT_TEXT = 300;

/** Facts about what the exchange that broke a rule signed, sent and received, where that is short. */
export function decisiveFacts({ shownBy }: RuleResult, exchanges: readonly Exchange[]): TextFact[] {
  const exchange = exchanges.find(({ id }) => id === shownBy);
  if (!exchange) return [];
  const { sent, received } = byteWords(exchange);
  const bytes = [sent, received].filter((words) => words !== null).join('; ');
  return [
    ...signedFacts(exchange).filter(([, text]) => text.length <= SHORT_TEXT),
    ...(bytes === '' ? [] : [['bytes', bytes] as const]),
  ];
}
