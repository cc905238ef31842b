import { FareproofError } from '../../../interface/errors.ts';
import { ALLOWANCE_PER_DAY, type AllowanceKind } from '../../../interface/limits.ts';
import type { Target, TargetPartner } from '../contract/target.ts';
import type { TokenJournal } from '../resume/token-journal.ts';
import type { SessionWatch } from '../target/session.ts';
import type { Ledger } from './ledger.ts';
import type { Budget } from './planner.ts';

/** What a metered run keeps, and what it may do. */
export interface Keeping {
  readonly ledger?: Ledger | undefined;
  readonly journal?: TokenJournal | undefined;
  readonly allowBan: boolean;
  /** Wall clock, ms since the epoch. */
  readonly wall: () => number;
}

/**
 * How long other runs leave a partner alone: after its ban began 24 hours, and some for other clocks;
 * one whose allowance is to be seen whole again, until a run that resumes has had time to look.
 */
const HELD_MS = { ban: 25 * 3_600_000, day: 28 * 3_600_000 } as const;

function sentTwice(partner: string): FareproofError {
  return new FareproofError(
    'REFRESH_TOKEN_USED',
    `a refresh of ${partner} was not sent: an earlier part of the run has used its refresh_token`,
  );
}

/** Spend and refresh_tokens of a metered target go to disk before the request goes out. */
export function watchOf(target: Target, { ledger, journal, wall }: Keeping): SessionWatch {
  const { baseUrl } = target;
  return {
    beforeSpend: (partner, kinds) => ledger?.spend(baseUrl, partner, kinds, wall()),
    codeTaken: (partner, code) => ledger?.useCode(baseUrl, partner, code, wall()),
    partnerTaken: (partner, use) => ledger?.ban(baseUrl, partner, wall() + HELD_MS[use], wall()),
    accessTokenReceived: (partner, token) => journal?.receivedAccess(partner, token),
    refreshTokenReceived: (partner, token) => journal?.received(partner, token),
    refreshTokenUsed: (partner, token) => {
      if (journal?.wasUsed(token)) throw sentTwice(partner);
      journal?.used(partner, token);
    },
  };
}

/**
 * Of the partner that others are held against: one request before a ban and one after, one within it,
 * one when it is over, and one on the day after.
 */
const WITNESS_REQUESTS = { bans: 5, none: 1 } as const;

/**
 * What each partner of a metered target may still spend. Under a cap on a target with a control API
 * a fresh partner stands in for the profile's, unless one of these brings a token.
 */
export function budgetsOf(target: Target, keeping: Keeping): Budget[] {
  const bringsToken = target.partners.some(({ accessToken }) => accessToken !== undefined);
  if (target.control && !bringsToken) return [FRESH];
  const { allowBan, ledger, wall } = keeping;
  const free = target.partners.filter(
    ({ id }) => (ledger?.bannedUntilMs(target.baseUrl, id) ?? 0) <= wall(),
  );
  const bans = allowBan && free.some(({ use }) => use === 'spendable');
  const witness = free.length > 1 ? witnessOf(free) : undefined;
  return free.map((partner) => ({
    ...leftOf(partner, target.baseUrl, keeping),
    partnerId: partner.id,
    hasAccessToken: partner.accessToken !== undefined,
    mayBan: bans && partner.use === 'spendable',
    kept: partner.id === witness?.id ? WITNESS_REQUESTS[bans ? 'bans' : 'none'] : 0,
  }));
}

const FRESH: Budget = {
  partnerId: 'fresh',
  left: { ...ALLOWANCE_PER_DAY, codes: ALLOWANCE_PER_DAY.user },
  unusedCodes: [],
  hasAccessToken: false,
  mayBan: false,
  kept: 0,
};

function witnessOf(partners: readonly TargetPartner[]): TargetPartner | undefined {
  return (
    partners.find(({ use }) => use === 'witness') ?? partners.find(({ use }) => use !== 'spendable')
  );
}

function leftOf(
  { id, authCodes }: TargetPartner,
  baseUrl: string,
  { ledger, wall }: Keeping,
): Pick<Budget, 'left' | 'unusedCodes'> {
  const spent = ledger?.spentOf(baseUrl, id, wall()) ?? { platform: 0, user: 0, refresh: 0 };
  const unusedCodes = authCodes.filter((code) => !ledger?.isCodeUsed(baseUrl, id, code));
  const left = (kind: AllowanceKind): number => Math.max(0, ALLOWANCE_PER_DAY[kind] - spent[kind]);
  const requests = { platform: left('platform'), user: left('user'), refresh: left('refresh') };
  return { left: { ...requests, codes: unusedCodes.length }, unusedCodes };
}
