/**
 * Spelling of a time in ISO 8601. A target that takes only one of them is odd, but conforms: the
 * interface names the standard, not the form.
 */
export interface TimeForm {
  readonly fraction: boolean;
  /** Spelling of the zone: UTC, that of the currency that the interface names, or none for UTC. */
  readonly zone: 'Z' | '+00:00' | '+08:00' | '';
}

/** The form of every time that is sent, unless a target refuses it. */
export const USUAL_FORM: TimeForm = { fraction: false, zone: 'Z' };

/** Forms that are tried where the usual one is refused. */
export const OTHER_FORMS: readonly TimeForm[] = [
  { fraction: true, zone: 'Z' },
  { fraction: false, zone: '+00:00' },
  { fraction: true, zone: '+00:00' },
  { fraction: false, zone: '+08:00' },
  { fraction: false, zone: '' },
];

/** ISO 8601; without a fraction rounded down, so that it never lies ahead. */
function isoTimestamp(atMs: number, { fraction, zone }: TimeForm = USUAL_FORM): string {
  const hours = zone === '+08:00' ? 8 : 0;
  const shown = new Date(Math.floor(atMs) + hours * 3_600_000);
  return shown.toISOString().slice(0, fraction ? 23 : 19) + zone;
}

/** Lag of a clock that is trusted as it is: a `_` that is so much older is fresh by any clock. */
const MOST_TRUSTED_LAG_MS = 300_000;

/** The Date header has whole seconds, and an answer takes time. */
const LEAST_LAG_MS = 1_500;

/** Time and form of the field `_`, as a target takes them. */
export class Stamp {
  form: TimeForm = USUAL_FORM;
  /** Time that is added to this machine's clock, in ms; 0 or less. */
  offsetMs = 0;
  /** True once a well-formed token request was accepted, or all forms were tried. */
  isSettled = false;

  /**
   * Learns from a Date header that the target's clock is behind. A clock that is ahead needs no other
   * stamp, and one that is far behind may not be the one that `_` is compared with.
   *
   * @param date header of an answer; undefined without one
   * @param nowMs this machine's clock when it came
   */
  learnOffset(date: string | undefined, nowMs: number): void {
    const offsetMs = Date.parse(date ?? '') - nowMs;
    if (offsetMs <= -LEAST_LAG_MS && offsetMs >= -MOST_TRUSTED_LAG_MS) this.offsetMs = offsetMs;
  }

  /** The text for a time of the target's clock as this machine knows it, in ms since the epoch. */
  textOf(atMs: number): string {
    return isoTimestamp(atMs + this.offsetMs, this.form);
  }

  /** The differences from the usual stamp, in words. */
  get notes(): string[] {
    const { fraction, zone } = this.form;
    const seconds = Math.round(-this.offsetMs / 1000);
    return [
      ...(this.offsetMs === 0
        ? []
        : [
            `its Date header is ${seconds} s behind this machine's clock, and so is _ in each request`,
          ]),
      ...(this.form === USUAL_FORM
        ? []
        : [
            `it refused _ in whole seconds with Z; each request has it ${fraction ? 'with' : 'without'} a fraction and with ${zone || 'no zone'}`,
          ]),
    ];
  }
}
