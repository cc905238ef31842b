import { isDeepStrictEqual } from 'node:util';
import type { Chance } from './chance.ts';
import type { Reading } from './reading-signature.ts';
import type { AccessToken, Counted, Kind, Lock, Partner, RefreshToken } from './state.ts';
import type { Style } from './style.ts';

/** Parts of the service that its endpoints are made of. */
export interface ServiceState {
  readonly style: Style;
  readonly form: Form;
  readonly chance: Chance;
  readonly environment: 'production' | 'test';
  readonly partners: Map<string, Partner>;
  readonly tokens: Map<string, AccessToken>;
  readonly refreshes: Map<string, RefreshToken>;
  readonly locks: Map<string, Lock>;
  /** Ends of auth_codes that expire, ms since the epoch. */
  readonly codeEnds: Map<string, number>;
  /** Banned partners, in the order of their bans. */
  readonly bans: string[];
  /** Refresh_tokens that were sent again after their use. */
  readonly replayed: string[];
  /** Number of token requests that counted, by partner. */
  readonly counted: Map<string, number>;
  now(): number;
  /** Lets ms pass. */
  readonly sleep: (ms: number) => Promise<void>;
  serial(prefix: string): string;
  /** True for one of five requests that ask; the same for all that one request asks. */
  oneInFive(r: Attempt | undefined): boolean;
}

/** Fields of a token request, or parameters of a query. */
export type Fields = Record<string, unknown>;

/** A request as far as the service has read it. */
export interface Attempt {
  readonly service: ServiceState;
  readonly endpoint: 'token' | 'estimate';
  readonly connection: object;
  readonly header: string | undefined;
  readonly contentType: string | undefined;
  /** Header User-Agent. */
  readonly agent: string | undefined;
  readonly raw: string;
  /** Parameters of the URL. */
  readonly query: Fields;
  fields: Fields;
  kind: Kind | null;
  partner: Partner | null;
  /** The header taken apart leniently. */
  scheme: string;
  separator: string;
  signature: string | null;
  /** True if the id of the header is no partner's. */
  isUnknown: boolean;
  /** User of the token that is asked for or presented; null for a platform token. */
  user: string | null;
  /** True for an estimate with the header of a user. */
  asUser: boolean;
  /** The presented tokens. */
  token: AccessToken | null;
  refresh: RefreshToken | null;
}

/** True if pairs are signed with a key (by default the partner's) as they should be. */
export type IsSigned = (pairs?: Fields, key?: string, reading?: Partial<Reading>) => boolean;

/**
 * A way in which the service differs from the interface. Each member takes the place of what the
 * service does, and is asked only where its answer matters.
 */
export interface Form {
  /** True to accept what is refused for that reason; `at` names the field. */
  forgives?(why: string, r: Attempt, at: string): boolean;
  /** Reason for refusing a request that is right. */
  refuses?(r: Attempt): string | false;
  /** Fields of a body that is not JSON. */
  reads?(raw: string, r: Attempt): unknown;
  /** Kind of a grant_type that is none of the three. */
  grants?(type: unknown, fields: Fields, r: Attempt): Kind | null;
  /** Partner of an unknown id. */
  finds?(id: string, partners: readonly Partner[], r: Attempt): Partner | undefined;
  /** Token that an unknown text counts as. */
  findsToken?(text: string, tokens: readonly AccessToken[], r: Attempt): AccessToken | undefined;
  findsRefresh?(
    text: string,
    refreshes: readonly RefreshToken[],
    r: Attempt,
  ): RefreshToken | undefined;
  /** Steps of the signature that are read otherwise. */
  reading?(r: Attempt): Partial<Reading>;
  /** True to accept a signature that is not right. */
  signs?(r: Attempt, isSigned: IsSigned, pairs: Fields): boolean;
  /** Reason not to count an earlier request (false), or to count it (true). */
  counts?(one: Counted, r: Attempt, isCounted: boolean): boolean;
  limit?(kind: Kind, r: Attempt): number | undefined;
  banMs?(kind: Kind, r: Attempt): number | undefined;
  /** Until when requests of a kind are banned. */
  banUntil?(partner: Partner, kind: Kind, r: Attempt, until: number): number;
  /** True if requests at once see what was there before any of them. */
  races?(r: Attempt): boolean;
  /** True if an older token of the partner ends as another is issued. */
  ends?(older: AccessToken, newer: AccessToken, r: Attempt, isEnded: boolean): boolean;
  status?(r: Attempt): number | undefined;
  /** Changes the response to a token request. */
  answers?(json: Fields, r: Attempt): void;
  contentType?(r: Attempt): { type: string | null; encode?: (text: string) => Buffer } | undefined;
  price?(r: Attempt, price: number): number;
  estimateId?(r: Attempt): string | undefined;
  /** Changes a record. */
  records?(record: Fields, r: Attempt): void;
  body?(records: readonly Fields[], r: Attempt): unknown;
  locks?(lock: Lock, service: ServiceState): void;
  /** Changes what the control API says of a lock. */
  lockView?(view: Fields, lock: Lock, service: ServiceState): void;
  /** Paths of estimates besides the right one. */
  serves?(path: string, r: Attempt): boolean;
}

type Hook = keyof Form;

/** Hooks whose first answer that is not undefined or false counts. */
const FIRST: readonly Hook[] = [
  'forgives',
  'refuses',
  'reads',
  'grants',
  'finds',
  'findsToken',
  'findsRefresh',
  'signs',
  'limit',
  'banMs',
  'races',
  'status',
  'contentType',
  'estimateId',
  'body',
  'serves',
];
/** Hooks that all run. */
const ALL: readonly Hook[] = ['answers', 'records', 'locks', 'lockView'];
/** Hooks whose last parameter is the answer so far. */
const FOLDED: readonly Hook[] = ['counts', 'banUntil', 'ends', 'price'];

type Call = (...args: unknown[]) => unknown;

/** One form that does what all of them do. */
export function combine(forms: readonly Form[]): Form {
  const combined: Record<string, Call> = {};
  const having = (name: Hook): Call[] =>
    forms.flatMap((form) => (form[name] ? [(form[name] as Call).bind(form)] : []));
  for (const name of FIRST) {
    const hooks = having(name);
    if (hooks.length > 0)
      combined[name] = (...args) =>
        hooks
          .map((hook) => hook(...args))
          .find((one) => one !== undefined && one !== false && one !== null);
  }
  for (const name of ALL) {
    const hooks = having(name);
    if (hooks.length > 0)
      combined[name] = (...args) => {
        for (const hook of hooks) hook(...args);
      };
  }
  for (const name of FOLDED) {
    const hooks = having(name);
    if (hooks.length > 0)
      combined[name] = (...args) =>
        hooks.reduce<unknown>((so, hook) => hook(...args.slice(0, -1), so), args.at(-1));
  }
  const readings = having('reading');
  if (readings.length > 0)
    combined['reading'] = (...args) =>
      Object.assign({}, ...readings.map((hook) => hook(...args) as object));
  return combined;
}

const isAttempt = (value: unknown): value is Attempt =>
  value !== null && typeof value === 'object' && 'endpoint' in value;

const isService = (value: unknown): value is ServiceState =>
  value !== null && typeof value === 'object' && 'oneInFive' in value;

/** The same form, for some requests only. */
export function only(form: Form, isMeant: (r: Attempt) => boolean): Form {
  const limited: Record<string, Call> = {};
  for (const [name, hook] of Object.entries(form) as [Hook, Call][]) {
    limited[name] = (...args) => {
      const r = args.find(isAttempt);
      if (r && !isMeant(r)) {
        if (FOLDED.includes(name)) return args.at(-1);
        return name === 'reading' ? {} : undefined;
      }
      return hook(...args);
    };
  }
  return limited;
}

/**
 * The same form, for one request only of five for which it makes a difference. Of what a hook changes, it
 * may set and delete members, not members of these.
 */
export function flaky(form: Form): Form {
  const rare: Record<string, Call> = {};
  for (const [hookName, hook] of Object.entries(form) as [Hook, Call][]) {
    rare[hookName] = (...args) => {
      const r = args.find(isAttempt);
      const isMeant = (): boolean => (r?.service ?? args.find(isService))?.oneInFive(r) ?? false;
      if (ALL.includes(hookName)) {
        const [changed, ...others] = args as [Fields, ...unknown[]];
        // What the hook leaves as it is would waste a draw.
        const copy = { ...changed };
        hook(copy, ...others);
        if (isDeepStrictEqual(copy, { ...changed }) || !isMeant()) return;
        for (const name of Object.keys(changed)) if (!(name in copy)) delete changed[name];
        Object.assign(changed, copy);
        return;
      }
      const answer = hook(...args);
      const without = FOLDED.includes(hookName) ? args.at(-1) : undefined;
      if (answer === without || answer === false || answer === null) return answer;
      return isMeant() ? answer : without;
    };
  }
  return rare;
}
