import type { LoadDocument } from '../../documents/load.ts';
import type { TargetProfile } from '../../interface/index.ts';
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

/** Redacts the text of an answer: the secrets of a redactor, and everything that looks like one. */
export function redactText(text: string, redactor: Redactor): string {
  const received = { text, kind: 'token-answer' } as const;
  redactor.suspect(received);
  return redactor.redactReceived(received);
}

/** A redactor that knows the secrets of a profile. */
export function redactorFor(profile: TargetProfile, { tls }: TargetAddress): Redactor {
  const redactor = new Redactor();
  redactor.addProfile({ ...profile, tls: tls ?? undefined });
  return redactor;
}
