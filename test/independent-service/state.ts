import type { Style } from './style.ts';

export type Kind = 'platform' | 'user' | 'refresh';

export interface Partner {
  id: string;
  key: string;
  longLock: boolean;
  codes: Map<string, string>;
  asked: { kind: Kind; at: number; user: string }[];
  bannedUntil: Partial<Record<Kind, number>>;
  nostrs: Set<string>;
}

export interface AccessToken {
  partner: Partner;
  user: string | null;
  scope: string;
  expires: number;
  ended: boolean;
}

/** A refusal on the way. */
export class Refused extends Error {
  readonly why: string;
  constructor(why: string) {
    super(why);
    this.why = why;
  }
}

/** Parts of the service that an estimate is made of. */
export interface ServiceState {
  readonly style: Style;
  readonly broken: (rule: string) => boolean;
  readonly partners: Map<string, Partner>;
  readonly tokens: Map<string, AccessToken>;
  readonly locks: Map<string, { partner: Partner; until: number; price: number }>;
  now(): number;
  serial(prefix: string): string;
}
