import { FareproofError } from '../interface/errors.ts';
import {
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
  BAN_MS,
  DURATION_WORDS,
} from '../interface/limits.ts';
import type { Ledger, Since } from './ledger.ts';
import type { LedgerSource } from './ledger-source.ts';
import { OTHER_PARTNERS, type UsedUp, whatHelps } from './what-helps.ts';

/**
 * Remaining token requests of the partners of one target today, kept across runs. A run takes from it
 * before it sends a token request, so that no number of runs ends in a ban.
 */
export interface Allowance {
  /** Number of requests of a kind left today; 0 for a partner that counts as banned. */
  left(partnerId: string, kind: AllowanceKind): Promise<number>;
  /**
   * Takes one request; recorded before it resolves.
   *
   * @param kinds allowances that it may count against
   * @param authCode one that is in it, which is marked as used
   * @throws FareproofError `ALLOWANCE_USED_UP` if one of them has none left, and as the keeping may fail
   */
  spend(partnerId: string, kinds: readonly AllowanceKind[], authCode?: string): Promise<void>;
  /**
   * Takes one user token request together with the first of these auth codes that was never sent, and
   * marks that code as used.
   *
   * @returns the code
   * @throws FareproofError as {@link Allowance.spend}, and `AUTH_CODES_USED_UP` if each was sent before
   */
  spendCode(partnerId: string, authCodes: readonly string[]): Promise<string>;
  /** Called when the target accepted a request that was taken. */
  accepted(partnerId: string, kinds: readonly AllowanceKind[]): Promise<void>;
  /**
   * Called when the target refused a request that was taken.
   *
   * @param authCode the one that was sent
   * @returns true if its allowances may be used up: it was not started anew, although its user said so
   */
  refused(partnerId: string, authCode?: string): Promise<boolean>;
}

/** Codes of errors after which another partner may be tried. */
export const NOTHING_LEFT: ReadonlySet<string> = new Set([
  'ALLOWANCE_USED_UP',
  'AUTH_CODES_USED_UP',
]);

/** Another load locks the ledger for a moment, a check for as long as it runs. */
const LONGEST_WAIT_MS = 30_000;
const RETRY_MS = 100;

/** The target of an allowance. */
export interface MeteredTarget {
  readonly baseUrl: string;
  /** True if the target has no memory of earlier runs. */
  readonly startsAnew: boolean;
  /** Other ways to send than by a partner's allowance, for messages; left out, those of a load. */
  readonly instead?: readonly string[] | undefined;
}

const INSTEAD = [...OTHER_PARTNERS, 'give the partner an accessToken there'];

/** Time of an allowance, in ms. */
export interface AllowanceClock {
  /** Wall clock, since the epoch. */
  readonly now: () => number;
  readonly sleep: (forMs: number) => Promise<void>;
}

/**
 * The allowance of a target's partners in a ledger, which is locked only while a request is recorded,
 * so that loads on several targets can run at once.
 */
export function allowanceIn(
  source: LedgerSource,
  { baseUrl, startsAnew, instead = INSTEAD }: MeteredTarget,
  clock: AllowanceClock,
): Allowance {
  let isBegun = false;
  /** Auth codes that were sent before the target began anew. */
  const codesSentAgain = new Set<string>();
  const use = async <T>(act: (ledger: Ledger, nowMs: number) => T): Promise<T> => {
    const ledger = await openWhenFree(source, clock);
    try {
      const nowMs = clock.now();
      if (startsAnew && !isBegun) ledger.startAnew(baseUrl, nowMs);
      isBegun = true;
      return act(ledger, nowMs);
    } finally {
      ledger.close();
    }
  };
  const isBlocked = (ledger: Ledger, partner: string, nowMs: number): boolean =>
    ledger.bannedUntilMs(baseUrl, partner, nowMs) > nowMs;
  const leftIn = (ledger: Ledger, partner: string, kind: AllowanceKind, nowMs: number): number => {
    if (isBlocked(ledger, partner, nowMs)) return 0;
    return Math.max(0, ALLOWANCE_PER_DAY[kind] - ledger.spentOf(baseUrl, partner, nowMs)[kind]);
  };
  const take = (
    ledger: Ledger,
    partner: string,
    kinds: readonly AllowanceKind[],
    nowMs: number,
  ): void => {
    const lacking = kinds.find((kind) => leftIn(ledger, partner, kind, nowMs) === 0);
    if (lacking !== undefined) {
      const isBanned = isBlocked(ledger, partner, nowMs);
      throw usedUp(partner, lacking, baseUrl, isBanned, factsOf(ledger, partner, nowMs));
    }
    ledger.spend(baseUrl, partner, kinds, nowMs);
  };
  const factsOf = (ledger: Ledger, partner: string, nowMs: number): UsedUp => ({
    startsAnew,
    wholeAgainMs: ledger.wholeAgainMs(baseUrl, partner, nowMs),
    instead,
  });
  const codeOf = (
    ledger: Ledger,
    partner: string,
    codes: readonly string[],
    nowMs: number,
  ): string => {
    const unused = (since: Since): string | undefined =>
      codes.find((one) => !ledger.isCodeUsed(baseUrl, partner, one, since));
    const code = unused('ever') ?? unused('start');
    if (code === undefined)
      throw codesUsedUp(partner, codes.length, baseUrl, factsOf(ledger, partner, nowMs));
    return code;
  };
  return {
    left: (partner, kind) => use((ledger, nowMs) => leftIn(ledger, partner, kind, nowMs)),
    spend: (partner, kinds, code) =>
      use((ledger, nowMs) => {
        take(ledger, partner, kinds, nowMs);
        if (code !== undefined) ledger.useCode(baseUrl, partner, code, nowMs);
      }),
    spendCode: (partner, authCodes) =>
      use((ledger, nowMs) => {
        const code = codeOf(ledger, partner, authCodes, nowMs);
        if (ledger.isCodeUsed(baseUrl, partner, code, 'ever')) codesSentAgain.add(code);
        take(ledger, partner, ['user'], nowMs);
        ledger.useCode(baseUrl, partner, code, nowMs);
        return code;
      }),
    accepted: async (partner, kinds) => {
      if (startsAnew) await use((ledger, nowMs) => ledger.accept(baseUrl, partner, kinds, nowMs));
    },
    refused: (partner, code) =>
      use((ledger, nowMs) => {
        if (!startsAnew) return false;
        const isUsedUp = ledger.mayBeUsedUp(baseUrl, partner, nowMs);
        if (isUsedUp) ledger.ban(baseUrl, partner, nowMs + BAN_MS, nowMs);
        return isUsedUp || codesSentAgain.has(code ?? '');
      }),
  };
}

async function openWhenFree(source: LedgerSource, { now, sleep }: AllowanceClock): Promise<Ledger> {
  const giveUpAtMs = now() + LONGEST_WAIT_MS;
  for (let isTold = false; ; isTold = true) {
    try {
      return await source.open();
    } catch (error) {
      const isInUse = error instanceof FareproofError && error.code === 'LEDGER_IN_USE';
      if (!isInUse || now() > giveUpAtMs) throw error;
      if (!isTold) source.onNote?.(`waiting up to ${LONGEST_WAIT_MS / 1000} s: ${error.message}`);
      await sleep(RETRY_MS);
    }
  }
}

const REQUEST_OF: Readonly<Record<AllowanceKind, string>> = {
  platform: 'platform token request',
  user: 'user token request',
  refresh: 'refresh',
};

function usedUp(
  partner: string,
  kind: AllowanceKind,
  baseUrl: string,
  isBanned: boolean,
  facts: UsedUp,
): FareproofError {
  const why = isBanned
    ? 'according to the ledger it is banned, was refused beyond its allowance, or is reserved by a check that continues another day'
    : `according to the ledger its ${ALLOWANCE_PER_DAY[kind]} of the day are used up, and one more would ban it for ${DURATION_WORDS.ban}`;
  return new FareproofError(
    'ALLOWANCE_USED_UP',
    `A ${REQUEST_OF[kind]} of partner ${partner} was not sent to ${baseUrl}: ${why}. What helps: ${whatHelps(facts)}.`,
  );
}

function codesUsedUp(
  partner: string,
  count: number,
  baseUrl: string,
  facts: UsedUp,
): FareproofError {
  return new FareproofError(
    'AUTH_CODES_USED_UP',
    `A user token request of partner ${partner} was not sent to ${baseUrl}: according to the ledger each of its ${count} authCodes is used up, as each works once. What helps: ${whatHelps({ ...facts, isForGood: true })}; or add new authCodes.`,
  );
}
