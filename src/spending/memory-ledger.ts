import { ALLOWANCE_KINDS, type AllowanceKind } from '../interface/limits.ts';
import { ALLOWANCE_WINDOW_MS } from './entry.ts';
import type { Ledger } from './ledger.ts';

/** Ledger in memory, that begins with what another has of one target. */
export interface MemoryLedger extends Ledger {
  /** Auth codes of a partner that were used since it was made. */
  codesUsed(partner: string): number;
  /** True if a partner was banned, or its allowance used up, since it was made. */
  isTaken(partner: string): boolean;
}

/**
 * Copies what a ledger has of one target. What is spent in the copy is not written, and counts for the
 * partner whatever address it is spent at.
 *
 * @param ledger left out, nothing was spent before
 * @param baseUrl target whose entries are copied
 */
export function memoryLedger(ledger?: Ledger, baseUrl = ''): MemoryLedger {
  const spends: Requests[] = [];
  const refusals: Requests[] = [];
  const codes: { partner: string; code: string }[] = [];
  const bans = new Map<string, number>();
  const bannedUntilMs: Ledger['bannedUntilMs'] = (_target, partner, nowMs) =>
    Math.max(bans.get(partner) ?? 0, ledger?.bannedUntilMs(baseUrl, partner, nowMs) ?? 0);
  return {
    clockNote: null,
    spentOf: (_target, partner, nowMs) =>
      sumOf(spends, partner, nowMs, ledger?.spentOf(baseUrl, partner, nowMs)),
    refusedOf: (_target, partner, nowMs) =>
      sumOf(refusals, partner, nowMs, ledger?.refusedOf(baseUrl, partner, nowMs)),
    bannedUntilMs,
    wholeAgainMs: (target, partner, nowMs) => {
      const own = spends.findLast((one) => one.partner === partner);
      return Math.max(
        bannedUntilMs(target, partner, nowMs),
        ledger?.wholeAgainMs(baseUrl, partner, nowMs) ?? 0,
        own ? own.atMs + ALLOWANCE_WINDOW_MS : 0,
      );
    },
    isCodeUsed: (_target, partner, code) =>
      codes.some((one) => one.partner === partner && one.code === code) ||
      ledger?.isCodeUsed(baseUrl, partner, code) === true,
    spend: (_target, partner, kinds, atMs) => void spends.push({ partner, kinds, atMs }),
    refuse: (_target, partner, kinds, atMs) => void refusals.push({ partner, kinds, atMs }),
    useCode: (_target, partner, code) => void codes.push({ partner, code }),
    ban: (_target, partner, untilMs) => void bans.set(partner, untilMs),
    // What it began with counts: a rehearsal of a restart copies a ledger that knows of it.
    startAnew: () => undefined,
    accept: () => undefined,
    mayBeUsedUp: () => false,
    lastRun: () => null,
    recordRun: () => undefined,
    close: () => undefined,
    reopen: async () => undefined,
    codesUsed: (partner) => codes.filter((one) => one.partner === partner).length,
    isTaken: (partner) => bans.has(partner),
  };
}

interface Requests {
  readonly partner: string;
  readonly kinds: readonly AllowanceKind[];
  readonly atMs: number;
}

/** Number of a partner's requests that count today, with those of an earlier ledger. */
function sumOf(
  list: readonly Requests[],
  partner: string,
  nowMs: number,
  earlier: Record<AllowanceKind, number> = { platform: 0, user: 0, refresh: 0 },
): Record<AllowanceKind, number> {
  const own = list.filter(
    (one) => one.partner === partner && one.atMs > nowMs - ALLOWANCE_WINDOW_MS,
  );
  const sum = { ...earlier };
  for (const kind of ALLOWANCE_KINDS)
    sum[kind] += own.filter(({ kinds }) => kinds.includes(kind)).length;
  return sum;
}
