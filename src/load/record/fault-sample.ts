import type { LoadDocument } from '../../documents/load.ts';
import { estimateResponseSchema } from '../../interface/index.ts';

/** An answer of a target that was malformed; not redacted until {@link redactSample} has been. */
export type FaultSample = NonNullable<LoadDocument['faultSamples']>[number];

/** Characters of an answer that a generator hands over: more than are shown, since some are redacted. */
export const RAW_SAMPLE_LENGTH = 8000;

/** Characters of an answer that are shown. */
const SHOWN_LENGTH = 1000;
/** Shorter secrets occur by chance in any text. */
const SHORTEST_SECRET = 4;
/** Runs of characters that a token, a key or a signature may be, in any encoding. */
const LIKE_A_SECRET = /[A-Za-z0-9+/_=%.|~\\-]{16,}/g;

const FIELD_NAMES: ReadonlySet<string> = new Set(Object.keys(estimateResponseSchema.element.shape));

/**
 * Redacts the body of a sample: secrets by their value, and everything that looks like one, which
 * leaves words, numbers and the names of documented fields.
 */
export function redactSample(sample: FaultSample, secrets: readonly string[]): FaultSample {
  const known = [...new Set(secrets)]
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  const withoutKnown = known.reduce(
    (text, secret) => text.replaceAll(secret, '[redacted]'),
    sample.body,
  );
  const body = withoutKnown.replace(LIKE_A_SECRET, (run) =>
    FIELD_NAMES.has(run) ? run : '[redacted]',
  );
  return {
    ...sample,
    body: body.length > SHOWN_LENGTH ? `${body.slice(0, SHOWN_LENGTH)} …` : body,
  };
}
