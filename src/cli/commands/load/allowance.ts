import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../../../conformance/index.ts';
import { FareproofError } from '../../../interface/errors.ts';
import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../interface/limits.ts';
import type { Allowance } from '../../../load/index.ts';
import { openLedgerFile } from '../../files/ledger.ts';
import { type Io, note } from '../../io.ts';

/** Another load locks the ledger for a moment, a check for as long as it runs. */
const LONGEST_WAIT_MS = 30_000;
const RETRY_MS = 100;

/** Time without requests of a partner that was refused beyond its allowance. */
const BLOCKED_AFTER_REFUSAL_MS = 24 * 3_600_000;

/** The target of an allowance, and its ledger. */
export interface KeptAllowance {
  readonly baseUrl: string;
  /** Path of `--ledger`; undefined for the default one. */
  readonly path: string | undefined;
  /**
   * True to request beyond what the ledger has left, until the target refuses: a target on this
   * machine may have been restarted, or may not meter at all.
   */
  readonly asksBeyond: boolean;
}

/**
 * The allowance of a target's partners, recorded in the ledger that `check` uses too. The file is
 * locked only while a request is recorded, so that loads on several targets can run at once.
 */
export function allowanceInLedger({ baseUrl, path, asksBeyond }: KeptAllowance, io: Io): Allowance {
  let codesSentAgain = 0;
  const use = async <T>(act: (ledger: Ledger, nowMs: number) => T): Promise<T> => {
    const ledger = await openWhenFree(path, io);
    try {
      return act(ledger, Date.now());
    } finally {
      ledger.close();
    }
  };
  const isBlocked = (ledger: Ledger, partner: string, nowMs: number): boolean =>
    ledger.bannedUntilMs(baseUrl, partner) > nowMs;
  const recordedLeft = (
    ledger: Ledger,
    partner: string,
    kind: AllowanceKind,
    nowMs: number,
  ): number => Math.max(0, ALLOWANCE_PER_DAY[kind] - ledger.spentOf(baseUrl, partner, nowMs)[kind]);
  const leftIn = (ledger: Ledger, partner: string, kind: AllowanceKind, nowMs: number): number => {
    if (isBlocked(ledger, partner, nowMs)) return 0;
    return asksBeyond ? ALLOWANCE_PER_DAY[kind] : recordedLeft(ledger, partner, kind, nowMs);
  };
  const take = (ledger: Ledger, partner: string, kind: AllowanceKind, nowMs: number): void => {
    if (leftIn(ledger, partner, kind, nowMs) === 0) {
      throw usedUp(partner, kind, baseUrl, isBlocked(ledger, partner, nowMs));
    }
    ledger.spend(baseUrl, partner, [kind], nowMs);
  };
  const codeOf = (ledger: Ledger, partner: string, codes: readonly string[]): string => {
    const unused = codes.find((one) => !ledger.isCodeUsed(baseUrl, partner, one));
    const code = unused ?? (asksBeyond ? codes[codesSentAgain++] : undefined);
    if (code === undefined) throw codesUsedUp(partner, codes.length, baseUrl);
    return code;
  };
  return {
    left: (partner, kind) => use((ledger, nowMs) => leftIn(ledger, partner, kind, nowMs)),
    spend: (partner, kind) => use((ledger, nowMs) => take(ledger, partner, kind, nowMs)),
    spendCode: (partner, authCodes) =>
      use((ledger, nowMs) => {
        const code = codeOf(ledger, partner, authCodes);
        take(ledger, partner, 'user', nowMs);
        ledger.useCode(baseUrl, partner, code, nowMs);
        return code;
      }),
    refused: (partner) =>
      use((ledger, nowMs) => {
        const isBeyond = KINDS.some((kind) => {
          const spent = ledger.spentOf(baseUrl, partner, nowMs)[kind];
          return spent > ALLOWANCE_PER_DAY[kind];
        });
        if (isBeyond) ledger.ban(baseUrl, partner, nowMs + BLOCKED_AFTER_REFUSAL_MS, nowMs);
      }),
  };
}

async function openWhenFree(path: string | undefined, io: Io): Promise<Ledger> {
  const giveUpAtMs = Date.now() + LONGEST_WAIT_MS;
  for (let isNoted = false; ; ) {
    try {
      return await openLedgerFile(path, io);
    } catch (error) {
      const isInUse = error instanceof FareproofError && error.code === 'LEDGER_IN_USE';
      if (!isInUse || Date.now() > giveUpAtMs) throw error;
      if (!isNoted) note(io, `waiting up to ${LONGEST_WAIT_MS / 1000} s: ${error.message}`);
      isNoted = true;
      await sleep(RETRY_MS);
    }
  }
}

const KINDS = Object.keys(ALLOWANCE_PER_DAY) as AllowanceKind[];

const REQUEST_OF: Readonly<Record<AllowanceKind, string>> = {
  platform: 'platform token request',
  user: 'user token request',
  refresh: 'refresh',
};

const INSTEAD =
  'add to the profile an accessToken, which load uses as it is, another partner, or a control API, which creates partners';

function usedUp(
  partner: string,
  kind: AllowanceKind,
  baseUrl: string,
  isBanned: boolean,
): FareproofError {
  const why = isBanned
    ? 'according to the ledger it is banned, was refused beyond its allowance, or is reserved by a check that continues another day'
    : `according to the ledger its ${ALLOWANCE_PER_DAY[kind]} of the day are spent, and one more would ban it for 24 hours`;
  return new FareproofError(
    'ALLOWANCE_USED_UP',
    `A ${REQUEST_OF[kind]} of partner ${partner} was not sent to ${baseUrl}: ${why}. Try again tomorrow, or ${INSTEAD}. If the target was restarted and has no record of that, use another ledger: --ledger FILE.`,
  );
}

function codesUsedUp(partner: string, count: number, baseUrl: string): FareproofError {
  return new FareproofError(
    'AUTH_CODES_USED_UP',
    `A user token request of partner ${partner} was not sent to ${baseUrl}: according to the ledger each of its ${count} authCodes was sent before, and each works once. Add a new one to the profile, or ${INSTEAD}.`,
  );
}
