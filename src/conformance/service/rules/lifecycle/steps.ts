import type { Spending } from '../../contract/check.ts';
import type { Expects } from '../../contract/messages.ts';
import type { Facts } from '../../contract/target.ts';
import type { Mistake } from '../mistakes.ts';

/** Token request, whose answer brings a token of a name. */
export interface Get {
  readonly get: string;
  /** Token that is refreshed for it; left out, it is issued anew. */
  readonly from?: string | undefined;
  readonly of?: 'user' | undefined;
  readonly scope?: string | undefined;
  /** Answer of a service that follows the rules; left out, `accepted`. */
  readonly expects?: Expects | undefined;
  /** True to send the request again by which the refresh_token was used. */
  readonly same?: true | undefined;
  readonly wrong?: Mistake | undefined;
  /** Partner by its name; left out, the check's own, or that of the token it is refreshed from. */
  readonly who?: string | undefined;
}

/** Estimate with a token. */
export interface Use {
  readonly use: string;
  /** Answer of a service that follows the rules; one that is to be refused is tried in each header. */
  readonly expects?: Expects | undefined;
  /** True to send it in each shape. */
  readonly inShapes?: true | undefined;
}

/** Step of a script: requests, or time that passes. */
export type Step =
  | Get
  | Use
  | { readonly atOnce: readonly Get[] }
  /** Estimates with platform tokens of earlier checks, which cost nothing. */
  | { readonly useEarlier: true }
  /** The newest platform token of earlier checks, which costs nothing. */
  | { readonly lend: string }
  /** Time since the last answer, ms. */
  | { readonly afterMs: number }
  /** Time after the end of a token, ms; negative before it. */
  | { readonly endOf: string; readonly plusMs: number }
  /** Part of the life of a token, from 0 to 1. */
  | { readonly lifeOf: string; readonly part: number }
  /** Time before the next midnight of a zone, ms; its offset from UTC in hours. */
  | { readonly beforeMidnightMs: number; readonly zone: number };

const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Requests of a partner that show rules on the life of tokens. */
export interface Script {
  /** Name of a further part, and its circumstance in words; left out for the rule's own. */
  readonly name?: string;
  readonly circumstance?: string;
  /** Rules that it shows; left out, all of its check. */
  readonly rules?: readonly string[];
  readonly steps: readonly Step[] | ((facts: Facts) => readonly Step[]);
  /** Base request whose token may be lent; left out, the script has its own tokens only. */
  readonly baseRequest?: 'estimate';
  /** Place among the further parts of its rules; left out, that in their list. */
  readonly rank?: number;
  /** Requests of a metered partner beyond the steps. */
  readonly spare?: Spending;
}

export type More = Partial<Omit<Get, 'get' | 'from'>>;

export const get = (name: string, more: More = {}): Get => ({ get: name, ...more });
export const user = (name: string, more: More = {}): Get => ({ get: name, of: 'user', ...more });
export const refresh = (from: string, name: string, more: More = {}): Get => ({
  get: name,
  from,
  ...more,
});
/** A token, and those that replace it one after the other. */
export const chain = (first: string, ...names: readonly string[]): Get[] => [
  get(first),
  ...names.map((name, at) => refresh(names[at - 1] ?? first, name)),
];
export const userChain = (first: string, ...names: readonly string[]): Get[] => [
  user(first),
  ...chain(first, ...names).slice(1),
];
/** A used refresh_token, which must be refused. */
export const replay = (from: string, more: More = {}): Get => ({
  get: `${from} again`,
  from,
  expects: 'refused',
  ...more,
});
export const use = (...names: readonly string[]): Use[] => names.map((name) => ({ use: name }));
export const useInShapes = (name: string): Use => ({ use: name, inShapes: true });
/** A token that is no longer valid, which must be refused. */
export const old = (...names: readonly string[]): Use[] =>
  names.map((name) => ({ use: name, expects: 'refused' }));
export const oldInShapes = (name: string): Use => ({
  use: name,
  expects: 'refused',
  inShapes: true,
});

export const afterMs = (ms: number): Step => ({ afterMs: ms });
export const A_MINUTE = afterMs(MINUTE_MS + SECOND_MS);
/** Allowances are full again. */
export const NEXT_DAY = afterMs(25 * HOUR_MS);
export const endOf = (name: string, plusMs: number): Step => ({ endOf: name, plusMs });
/** Times before and after the end of a token at which it is probed, ms; the clocks of both sides may disagree. */
export const BEFORE_MS = 9 * SECOND_MS;
export const beforeEnd = (name: string): Step => endOf(name, -BEFORE_MS);
export const afterEnd = (name: string): Step => endOf(name, 10 * SECOND_MS);
