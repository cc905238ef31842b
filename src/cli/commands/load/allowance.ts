import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../../../conformance/index.ts';
import { FareproofError } from '../../../interface/errors.ts';
import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../interface/limits.ts';
import type { Allowance } from '../../../load/index.ts';
import { openLedgerFile } from '../../files/ledger.ts';
import { type Io, note } from '../../io.ts';

/** Another load holds the ledger for a moment, a check for as long as it runs. */
const LONGEST_WAIT_MS = 30_000;
const RETRY_MS = 100;

/** How long a partner is left alone that was refused beyond its allowance. */
const HELD_AFTER_REFUSAL_MS = 24 * 3_600_000;

/** Of which target, and where it is kept. */
export interface KeptAllowance {
  readonly baseUrl: string;
  /** Of `--ledger`; undefined for the default place. */
  readonly path: string | undefined;
  /**
   * True if what the ledger has used up is asked for all the same, until the target refuses it: a
   * target of this machine may have been started anew, or may not meter at all.
   */
  readonly asksBeyond: boolean;
}

/**
 * The allowance of a target's partners, kept in the ledger that `check` keeps too. The file is held
 * for the moment of each request only, so that loads on several targets run at once.
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
  const isHeld = (ledger: Ledger, partner: string, nowMs: number): boolean =>
    ledger.bannedUntilMs(baseUrl, partner) > nowMs;
  const keptOf = (ledger: Ledger, partner: string, kind: AllowanceKind, nowMs: number): number =>
    Math.max(0, ALLOWANCE_PER_DAY[kind] - ledger.spentOf(baseUrl, partner, nowMs)[kind]);
  const leftIn = (ledger: Ledger, partner: string, kind: AllowanceKind, nowMs: number): number => {
    if (isHeld(ledger, partner, nowMs)) return 0;
    return asksBeyond ? ALLOWANCE_PER_DAY[kind] : keptOf(ledger, partner, kind, nowMs);
  };
  const take = (ledger: Ledger, partner: string, kind: AllowanceKind, nowMs: number): void => {
    if (leftIn(ledger, partner, kind, nowMs) === 0) {
      throw usedUp(partner, kind, baseUrl, isHeld(ledger, partner, nowMs));
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
        if (isBeyond) ledger.ban(baseUrl, partner, nowMs + HELD_AFTER_REFUSAL_MS, nowMs);
      }),
  };
}

async function openWhenFree(path: string | undefined, io: Io): Promise<Ledger> {
  const giveUpAtMs = Date.now() + LONGEST_WAIT_MS;
  for (let told = false; ; ) {
    try {
      return await openLedgerFile(path, io);
    } catch (error) {
      const isInUse = error instanceof FareproofError && error.code === 'LEDGER_IN_USE';
      if (!isInUse || Date.now() > giveUpAtMs) throw error;
      if (!told) note(io, `waiting up to ${LONGEST_WAIT_MS / 1000} s: ${error.message}`);
      told = true;
      await sleep(RETRY_MS);
    }
  }
}

const KINDS: readonly AllowanceKind[] = ['platform', 'user', 'refresh'];

const REQUEST_OF: Readonly<Record<AllowanceKind, string>> = {
  platform: 'platform token request',
  user: 'user token request',
  refresh: 'refresh',
};

const INSTEAD =
  'give the profile an accessToken, which load uses as it is, another partner, or a control API, which makes fresh ones';

function usedUp(
  partner: string,
  kind: AllowanceKind,
  baseUrl: string,
  isBanned: boolean,
): FareproofError {
  const why = isBanned
    ? 'by the ledger it is banned, was refused beyond its allowance, or is held by a check that goes on another day'
    : `by the ledger it has had its ${ALLOWANCE_PER_DAY[kind]} of the day, and one more would ban it for 24 hours`;
  return new FareproofError(
    'ALLOWANCE_USED_UP',
    `A ${REQUEST_OF[kind]} of partner ${partner} was not sent to ${baseUrl}: ${why}. Try again tomorrow, or ${INSTEAD}. Of a target that was started anew, and knows nothing of that, keep the spend in another file: --ledger FILE.`,
  );
}

function codesUsedUp(partner: string, count: number, baseUrl: string): FareproofError {
  return new FareproofError(
    'AUTH_CODES_USED_UP',
    `A user token request of partner ${partner} was not sent to ${baseUrl}: by the ledger each of its ${count} authCodes was sent before, and each is good once. Put a new one into the profile, or ${INSTEAD}.`,
  );
}
