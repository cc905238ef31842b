import type { LoadDocument } from '../../documents/load.ts';
import { estimateResponseSchema, type TargetProfile } from '../../interface/index.ts';
import { Redactor } from '../../redaction/index.ts';
import type { TargetAddress } from '../target-address.ts';

/** An answer of a target that was malformed; not redacted until {@link redactSample} has been. */
export type FaultSample = NonNullable<LoadDocument['faultSamples']>[number];

/** Characters of an answer that a generator hands over: more than are shown, since some are redacted. */
export const RAW_SAMPLE_LENGTH = 8000;

/** Characters of an answer that are shown. */
const SHOWN_LENGTH = 1000;

/** Redacts the body of a sample, as {@link redactText}, and cuts it. */
export function redactSample(sample: FaultSample, redactor: Redactor): FaultSample {
  const body = redactText(sample.body, redactor);
  return {
    ...sample,
    body: body.length > SHOWN_LENGTH ? `${body.slice(0, SHOWN_LENGTH)} …` : body,
  };
}

/** Runs of characters that a token, a key or a signature may be, in any encoding. */
const LIKE_A_SECRET = /[A-Za-z0-9+/_=%.|~\\-]{16,}/g;

const FIELD_NAMES: ReadonlySet<string> = new Set(Object.keys(estimateResponseSchema.element.shape));

/**
 * Redacts the text of an answer: the secrets of a redactor, and everything that looks like one, which
 * leaves words, numbers and the names of documented fields.
 */
export function redactText(text: string, redactor: Redactor): string {
  return redactor.redact(text, text.length, (other) =>
    other.replace(LIKE_A_SECRET, (run) => (FIELD_NAMES.has(run) ? run : '[redacted]')),
  );
}

/** A redactor that knows the secrets of a profile. */
export function redactorFor(profile: TargetProfile, { tls }: TargetAddress): Redactor {
  const redactor = new Redactor();
  redactor.addProfile({ ...profile, tls: tls ?? undefined });
  return redactor;
}
