import { TIME_FORMS, type TimeForm } from '../contract/time-forms.ts';

/**
 * The form of every time that is sent, unless a target refuses it. A target that takes only another one is
 * odd, but conforms: the interface names the standard, not the form.
 */
export const USUAL_FORM: TimeForm = 'with Z';

/** Forms that are tried where the usual one is refused. */
export const OTHER_FORMS: readonly TimeForm[] = [
  'with a fraction and with Z',
  'with +00:00',
  'with a fraction and with +00:00',
  'with +08:00',
  'without an offset',
];

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
  /** Times by the texts that were made of them. */
  readonly #made = new Map<string, { readonly atMs: number; readonly form: TimeForm }>();

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
  textOf(atMs: number, form: TimeForm = this.form): string {
    const text = TIME_FORMS[form](atMs + this.offsetMs);
    this.#made.set(text, { atMs, form });
    return text;
  }

  /** Time and form that a text was made of; undefined for another text. */
  madeOf(text: string): { readonly atMs: number; readonly form: TimeForm } | undefined {
    return this.#made.get(text);
  }

  /** The differences from the usual stamp, in words. */
  get notes(): string[] {
    const seconds = Math.round(-this.offsetMs / 1000);
    return [
      ...(this.offsetMs === 0
        ? []
        : [
            `its Date header is ${seconds} s behind this machine's clock, and so is _ in each request`,
          ]),
      ...(this.form === USUAL_FORM
        ? []
        : [`it refused _ in whole seconds with Z; each request has it ${this.form}`]),
    ];
  }
}
