import type { AllowanceKind } from '../../../../interface/limits.ts';
import type { Spending } from '../../contract/check.ts';
import type { Expects } from '../../contract/messages.ts';
import type { Mistake } from './mistakes.ts';
import type { Wait } from './waits.ts';

/** Token request. */
export interface Get {
  /** Name of the token that it brings; null for one that no step needs. */
  readonly get: string | null;
  /** Token that is refreshed for it; left out, it is issued anew. */
  readonly from?: string | undefined;
  readonly of?: 'user' | undefined;
  /** User whose auth code is exchanged; left out, the first. */
  readonly user?: string | undefined;
  readonly scope?: string | undefined;
  /** Answer of a service that follows the rules; left out, `accepted`. */
  readonly expects?: Expects | undefined;
  /** True to send the request again by which the refresh_token was used. */
  readonly same?: true | undefined;
  readonly wrong?: Mistake | undefined;
  /** Partner by its name; left out, the check's own, or that of the token it is refreshed from. */
  readonly who?: string | undefined;
  /** The request in words; left out, it is described by its tokens. */
  readonly words?: string | undefined;
  /** True to send it after a minute's rest: then no rate limit refuses it. */
  readonly isRested?: true | undefined;
  /** True to end the script at its refusal, which is what the script looks for. */
  readonly untilRefused?: true | undefined;
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
  | Wait
  | { readonly atOnce: readonly Get[] }
  /** Estimates with platform tokens of earlier checks, which cost nothing. */
  | { readonly useEarlier: true }
  /** The newest platform token of earlier checks, which costs nothing. */
  | { readonly lend: string };

/** Allowance that a token request draws on. */
export const kindOf = ({ from, of }: Get): AllowanceKind =>
  from === undefined ? (of ?? 'platform') : 'refresh';

/** Checks for a platform token request of the check's own partner, within the allowance. */
export const isOfAllowance = (step: Step): boolean =>
  'get' in step &&
  step.get === null &&
  kindOf(step) === 'platform' &&
  step.who === undefined &&
  (step.expects ?? 'accepted') === 'accepted';

/** A token request in words. */
export function wordsOf({ get: name, from, of, expects, wrong, words }: Get): string {
  const isNegative = expects === 'refused';
  const ofTokens =
    from === undefined
      ? `${of ?? 'platform'} token '${name}'`
      : `the ${isNegative && !wrong ? 'used refresh_token' : 'refresh'} of token '${from}'`;
  return `${isNegative ? 'negative: ' : ''}${words ?? ofTokens}${wrong ? `, with a wrong ${wrong}` : ''}`;
}

/** Token requests of some steps as the check's own partner, and auth codes. */
export function spendingOfSteps(steps: readonly Step[], spare: Spending = {}): Spending {
  const kinds = steps
    .flatMap((step) => ('atOnce' in step ? step.atOnce : 'get' in step ? [step] : []))
    .flatMap((one) => (one.who === undefined ? kindOf(one) : []));
  const count = (kind: AllowanceKind): number =>
    kinds.filter((one) => one === kind).length + (spare[kind] ?? 0);
  const user = count('user');
  return { platform: count('platform'), refresh: count('refresh'), user, codes: user };
}

/** Circumstances of a token request. */
export type More = Partial<Omit<Get, 'get' | 'from'>>;

export const get = (name: string | null, more: More = {}): Get => ({ get: name, ...more });
export const user = (name: string | null, more: More = {}): Get =>
  get(name, { of: 'user', ...more });
export const refresh = (from: string, name: string | null, more: More = {}): Get => ({
  ...get(name, more),
  from,
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
export const replay = (from: string, more: More = {}): Get =>
  refresh(from, null, { expects: 'refused', ...more });

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
