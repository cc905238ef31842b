import type { Ledger } from './ledger.ts';

/** Words for a target that began anew by the word of its user, and refuses as if it had not. */
export const NOT_RESTARTED = 'its allowances are used up: restart it, or give it a control API';

/** Facts by which a used-up allowance comes back. */
export interface UsedUp {
  /** True for a target that begins each run anew. */
  readonly startsAnew: boolean;
  /** Time from which it is whole again, ms since the epoch; 0 if that is not known. */
  readonly wholeAgainMs: number;
  /** True if time alone brings nothing back, as with auth codes. */
  readonly isForGood?: boolean;
  /** Other ways to send than by this partner's allowance; left out, {@link OTHER_PARTNERS}. */
  readonly instead?: readonly string[] | undefined;
}

/** Ways around the allowance of a partner, for a run that chooses its partners. */
export const OTHER_PARTNERS: readonly string[] = [
  "give the profile the target's control API",
  'add another partner to it',
];

/** Everything that helps where an allowance is used up, as a list of commands, the quickest first. */
export function whatHelps({
  startsAnew,
  wholeAgainMs,
  isForGood = false,
  instead = OTHER_PARTNERS,
}: UsedUp): string {
  const restart = startsAnew
    ? 'restart the service'
    : 'restart the service, if it is your own, with "local: true" in its profile or declared as restarted';
  const time =
    wholeAgainMs > 0
      ? `wait until ${new Date(wholeAgainMs).toISOString().slice(0, 16)}Z`
      : 'wait for another day';
  return [restart, ...instead, ...(isForGood ? [] : [time])].join('; or ');
}

/** Time from which the first of some partners has its whole allowances; 0 if one has them now. */
export function firstWholeAgainMs(
  ledger: Ledger | undefined,
  target: string,
  partners: readonly string[],
  nowMs: number,
): number {
  if (!ledger || partners.length === 0) return 0;
  return Math.min(...partners.map((partner) => ledger.wholeAgainMs(target, partner, nowMs)));
}
