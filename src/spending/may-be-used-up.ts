import { ALLOWANCE_KINDS, ALLOWANCE_PER_DAY } from '../interface/limits.ts';
import { ALLOWANCE_WINDOW_MS, type Entry, elapsedMs, type Instant, requestsOf } from './entry.ts';

/**
 * Checks whether a refusal may be that of a partner without allowance, although its target began this run
 * anew: that is so if the target was last restarted before some earlier run, all that it accepted since was
 * within the allowances, and all that was sent since, and may have counted, is not. Requests of this run alone are no
 * such cause.
 *
 * @param entries of one target, in their order
 */
export function mayBeUsedUp(entries: readonly Entry[], partner: string, now: Instant): boolean {
  const none = { platform: 0, user: 0, refresh: 0 };
  const [sent, accepted] = [{ ...none }, { ...none }];
  let isBanned = false;
  let isOfThisRun = true;
  let isEarlier = false;
  const isOver = (counts: typeof none): boolean =>
    ALLOWANCE_KINDS.some((kind) => counts[kind] > ALLOWANCE_PER_DAY[kind]);
  for (const entry of entries.toReversed()) {
    if ('startedAnew' in entry) {
      if (isBanned || (isEarlier && isOver(sent))) return true;
      isOfThisRun = false;
    } else if ('partner' in entry && entry.partner === partner) {
      const agoMs = elapsedMs(entry, now);
      if ('bannedForMs' in entry) isBanned ||= !isOfThisRun && agoMs < entry.bannedForMs;
      if (agoMs >= ALLOWANCE_WINDOW_MS) continue;
      isEarlier ||= !isOfThisRun;
      if ('accepted' in entry) accepted[entry.accepted]++;
      for (const kind of ALLOWANCE_KINDS) sent[kind] += requestsOf(entry)[kind];
      if (isOver(accepted)) return false;
    }
  }
  return isBanned || (isEarlier && isOver(sent));
}
