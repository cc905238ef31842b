export type Kind = 'platform' | 'user' | 'refresh';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Number of the day in a zone some hours east of UTC. */
export const dayOf = (ms: number, hoursAhead: number): number =>
  Math.floor((ms + hoursAhead * HOUR_MS) / DAY_MS);

/** A counted token request. */
export interface Counted {
  readonly kind: Kind;
  readonly at: number;
  readonly user: string;
  readonly scope: string;
  readonly family: string;
}

export interface Partner {
  id: string;
  key: string;
  longLock: boolean;
  codes: Map<string, string>;
  asked: Counted[];
  bannedUntil: Partial<Record<Kind, number>>;
  nostrs: Set<string>;
}

/** Times are in ms since the epoch, here and below. */
export interface AccessToken {
  readonly text: string;
  readonly partner: Partner;
  readonly user: string | null;
  readonly scope: string;
  readonly issued: number;
  readonly expires: number;
  /** Number of refreshes since the first token. */
  readonly generation: number;
  endedAt: number | null;
  usedAt: number | null;
  uses: number;
}

export interface RefreshToken {
  readonly text: string;
  readonly partner: Partner;
  readonly user: string | null;
  readonly scope: string;
  readonly family: string;
  readonly generation: number;
  readonly issued: number;
  /** Access token that was issued with it. */
  readonly access: AccessToken;
  usedAt: number | null;
  replays: number;
  successor: RefreshToken | null;
}

export interface Lock {
  readonly partner: Partner;
  readonly user: string | null;
  readonly rideType: string;
  readonly productType: string;
  readonly at: number;
  readonly price: number;
  until: number;
}

/** A refusal on the way; the first word of the reason names what is refused. */
export class Refused extends Error {
  readonly why: string;
  constructor(why: string) {
    super(why);
    this.why = why.split('-')[0]!;
  }
}

/** Text of a JSON value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
