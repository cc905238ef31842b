import { createHash } from 'node:crypto';
import type { ClientEnvironment } from '../../src/conformance/client/scenario/run-scenario.ts';
import type { Wire, WireAnswer, WireRequest } from './wire.ts';

export type Kind = 'token' | 'estimate';
export type Pairs = [name: string, value: string][];
export type Fields = Record<string, unknown>;

/** A token as a client keeps it. */
export interface Token {
  readonly access: string;
  readonly refresh: string;
  readonly endsMs: number;
}

/** A token and those before it: one lineage. */
export interface Slot {
  readonly all: Token[];
  readonly sent: Set<string>;
  isRefused: boolean;
  uses: number;
  busy: Promise<unknown> | null;
}

/** Clock and randomness of a client. */
export interface Surroundings {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => string;
  readonly isOver: () => boolean;
  /** A worker begins, and ends. */
  readonly enter: () => void;
  readonly leave: () => void;
}

/** A client as its own course of action sees it. */
export interface RunningClient {
  readonly environment: ClientEnvironment;
  readonly surroundings: Surroundings;
  readonly habits: Habits;
  readonly slots: Slot[];
  /** Number of estimates asked for. */
  readonly count: number;
  readonly intervalMs: number;
  wire(): Wire;
  newSlot(): Slot;
  runWorkers(): Promise<void>;
  together(tasks: readonly (() => Promise<void>)[]): Promise<void>;
  estimateOnce(wire: Wire, slot: Slot, nth: number): Promise<void>;
  estimateRequest(token: Token, nth: number): WireRequest;
  token(wire: Wire, slot: Slot, nth: number): Promise<Token>;
  refresh(wire: Wire, slot: Slot): Promise<Token>;
}

/** Outcome of an estimate. */
export type EstimateOutcome = 'good' | 'refused' | 'lost' | 'unreadable';

/**
 * All that tells one client from another: forms of the messages, and what it does when. The
 * defaults are those of a right client.
 */
export interface Habits {
  /** Replaces the whole course of the client. */
  readonly run: (client: RunningClient) => Promise<void>;
  /** Tokens that it uses side by side, in turn. */
  readonly slots: number;
  /** Threads, each with its share of the estimates. */
  readonly workers: number;
  /** True if worker n uses slot n; otherwise the slots take turns. */
  readonly ownSlots: boolean;
  readonly keepsAlive: boolean;
  /** Real time after which an answer counts as lost. */
  readonly patienceMs: number;
  readonly postPatienceMs?: number | undefined;
  /** Parts of a request that it writes one by one. */
  readonly pieces: (bytes: Buffer) => readonly Buffer[];
  /** True to close its side of a connection after a request. */
  readonly halfCloses: boolean;

  readonly tokenTarget: string;
  readonly estimateTarget: string;
  readonly tokenMethod: string;
  readonly estimateMethod: string;
  readonly time: (nowMs: number) => string;
  readonly nostr: (random: () => string) => string;
  readonly scope: (mode: string) => string | undefined;
  readonly fields: (fields: Fields, nth: number) => Fields;
  /** Fields that are sent, if they are others than those signed. */
  readonly sentFields: (fields: Fields, client: RunningClient) => Fields;
  readonly json: (fields: Fields) => string;
  readonly query: (pairs: Pairs, nth: number) => Pairs;
  readonly encode: (pairs: Pairs) => string;
  readonly sign: (pairs: Fields, key: string, kind: Kind) => string;
  readonly tokenHeader: (id: string, signature: string) => string;
  readonly estimateHeader: (id: string, signature: string | null, token: string) => string;
  readonly request: (request: WireRequest, kind: Kind, nth: number) => WireRequest;
  readonly bytes: (bytes: Buffer, kind: Kind) => Buffer;

  /** The answer's token; null for a failure. Throwing ends the client. */
  readonly readToken: (answer: WireAnswer, attempt: number) => Fields | null;
  /** True if the answer is an estimate. Throwing ends the client. */
  readonly readEstimate: (answer: WireAnswer) => boolean;
  readonly lifeMs: (token: Fields) => number;
  readonly marginMs: number;
  /** True to replace a token before the n-th estimate for no reason. */
  readonly replaces: (nth: number) => boolean;
  readonly refreshes: boolean;
  /** Chooses a refresh_token among all of a slot, the newest last. */
  readonly pickRefresh: (all: readonly Token[]) => Token | undefined;
  /** Chooses a token to use among all of a slot, the newest last. */
  readonly pickToken: (all: readonly Token[], sinceNewest: number) => Token | undefined;
  /** Refused token requests in a row after which it stops. */
  readonly maxRefusals: number;
  readonly backoffMs: (attempt: number) => number;
  /** Number of times that a failed refresh is sent, in all. */
  readonly refreshAttempts: number;
  readonly afterFailedRefresh: 'new' | 'stop';
  /** Times that an estimate is sent until it is good. */
  readonly estimateAttempts: number;
  /** Estimates that failed in a row after which it stops. */
  readonly maxFailedEstimates: number;
  /** Reaction to a refused estimate (401, 403). */
  readonly onUnauthorised: 'replace' | 'retry-first' | 'keep';
  readonly retryPauseMs: number;
  /** Outcomes that end the client. */
  readonly diesOf: (kind: Kind, outcome: EstimateOutcome, isRefresh: boolean) => boolean;
}

/** A mistake or a style. */
export type Deviation = Partial<Habits>;

export const md5 = (text: string | Buffer): string => createHash('md5').update(text).digest('hex');

/** The text S, in steps that can be replaced one by one. */
export function signedText(
  pairs: Fields,
  {
    sort = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b)),
    value = plain,
    keep = (one: unknown): boolean => one !== '' && one !== null && one !== undefined,
    term = (name: string, text: string): string => `${name.trim()}=${text.trim()}`,
    joint = '&',
  } = {},
): string {
  return Object.entries(pairs)
    .filter(([, one]) => keep(one))
    .sort(([a], [b]) => sort(a, b))
    .map(([name, one]) => term(name, value(one)))
    .join(joint)
    .replace(/^&+|&+$/g, '');
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The documented signature, written anew. */
export const rightSignature = (pairs: Fields, key: string): string =>
  md5(md5(signedText(pairs)) + key);

export const percent = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[A-Za-z0-9._~-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');

/** Pairs with some values changed, in their places; names that are not among them come last. */
export function changedPairs(pairs: Pairs, values: Readonly<Record<string, string>>): Pairs {
  const names = pairs.map(([name]) => name);
  const added = Object.entries(values).filter(([name]) => !names.includes(name));
  return [...pairs.map(([name, value]): Pairs[number] => [name, values[name] ?? value]), ...added];
}

/** Writes what is not ASCII as `\\u` and four hex digits. */
export const escapedUnits = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const QUERY: Readonly<Record<string, string>> = {
  start_lat: '31.2304',
  start_lng: '121.4737',
  from_name: '外滩 The Bund #18',
  end_lat: '31.1443',
  end_lng: '121.8083',
  to_name: '浦东机场 T2 & Co.',
  product_type: 'private-car',
  ride_type: 'compact',
};

/** The habits of a right client. */
export const RIGHT: Habits = {
  run: (client) => client.runWorkers(),
  slots: 1,
  workers: 1,
  ownSlots: false,
  keepsAlive: true,
  patienceMs: 60_000,
  pieces: (bytes) => [bytes],
  halfCloses: false,
  tokenTarget: '/v1/oauth/token',
  estimateTarget: '/v1/estimates/prices',
  tokenMethod: 'POST',
  estimateMethod: 'GET',
  time: (nowMs) => new Date(nowMs).toISOString(),
  nostr: (random) => random(),
  scope: (mode) => (mode === 'user' ? 'public rides.read rides.request' : undefined),
  fields: (fields) => fields,
  sentFields: (fields) => fields,
  json: (fields) => JSON.stringify(fields),
  query: (pairs) => pairs,
  encode: (pairs) => pairs.map((pair) => pair.map(percent).join('=')).join('&'),
  sign: rightSignature,
  tokenHeader: (id, signature) => `Bearer ${id}|${signature}`,
  estimateHeader: (id, signature, token) =>
    signature === null ? `Bearer ${id}|${token}` : `Bearer ${id}|${signature} openid|${token}`,
  request: (request) => request,
  bytes: (bytes) => bytes,
  readToken: ({ status, text }) => (status === 200 ? tokenIn(text) : null),
  readEstimate: ({ status, text }) => status === 200 && Array.isArray(jsonIn(text)),
  lifeMs: (token) => Number(token['expires_in_second']) * 1000,
  marginMs: 300,
  replaces: () => false,
  refreshes: true,
  pickRefresh: (all) => all.at(-1),
  pickToken: (all) => all.at(-1),
  maxRefusals: 3,
  backoffMs: (attempt) => 40 * attempt,
  refreshAttempts: 1,
  afterFailedRefresh: 'new',
  estimateAttempts: 2,
  maxFailedEstimates: Number.POSITIVE_INFINITY,
  onUnauthorised: 'replace',
  retryPauseMs: 30,
  diesOf: () => false,
};

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function tokenIn(text: string): Fields | null {
  const fields = jsonIn(text) as Fields | null;
  return typeof fields?.['access_token'] === 'string' ? fields : null;
}
