import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import type { ClientRuleId } from '../../../interface/catalogue.ts';
import type { Traffic } from '../traffic/traffic.ts';

/** One place where a rule is broken. */
export interface Violation {
  /** Id of the exchange that shows it. */
  readonly exchange: string;
  /** Ids of other exchanges that belong to it. */
  readonly related?: readonly string[];
  readonly expected: string;
  readonly got: string;
  /**
   * True if a machine that was short of time may be the cause. One such violation is excused in a whole
   * certification, by `withOneExcused`.
   */
  readonly mayBeChance?: boolean;
  /** Rule whose violation is the same one. */
  readonly followsFrom?: ClientRuleId;
  /** True if its cause is known. */
  readonly isExplained?: boolean;
}

/** The outcome of a rule on some traffic. */
export interface CheckOutcome {
  readonly violations: readonly Violation[];
  /** Places that break no rule but are unwise. */
  readonly warnings?: readonly Violation[];
  /** Ids of the exchanges by which the rule was judged; empty if it could not be. */
  readonly judged: readonly string[];
  /** Reason of a pass. */
  readonly passed: string;
  /** Reason for which the rule cannot be judged, such as `no refresh was sent`. */
  readonly missing: string;
}

/** Judges one rule for clients; pure, so that stored traffic can be judged again. */
export interface ClientCheck {
  readonly rule: ClientRuleId;
  readonly judge: (traffic: Traffic) => CheckOutcome;
}

/** Requests of a kind, and what a rule expects of each of them. */
interface RequestRule {
  /** Selects the requests that the rule applies to; left out, all of the kind. */
  readonly where?: (request: ParsedRequest) => boolean;
  /** Name of such a request, singular and without an article; by default of the kind. */
  readonly noun?: string;
  readonly expected: string;
  readonly passed: string | ((requests: readonly ParsedRequest[]) => string);
  /** Returns a description of what is wrong with a request; null if nothing is. */
  readonly fault: (request: ParsedRequest, traffic: Traffic) => string | null;
  /** Returns a description of what may be wrong with a request that has no fault. */
  readonly doubt?: NonNullable<RequestRule['fault']>;
}

/** A check that each request of a kind, or of any, keeps or breaks by itself. */
export function everyRequest(
  rule: ClientRuleId,
  kind: 'token' | 'estimate' | null,
  { where = () => true, noun = `${kind} request`, expected, passed, fault, doubt }: RequestRule,
): ClientCheck {
  const judge = (traffic: Traffic): CheckOutcome => {
    const requests = traffic.requests.filter(
      (request) => (kind === null || request.kind === kind) && where(request),
    );
    const placesOf = (describe: NonNullable<RequestRule['fault']>): Violation[] =>
      requests.flatMap((request) => {
        const got = describe(request, traffic);
        return got === null ? [] : { exchange: request.id, expected, got };
      });
    return {
      violations: placesOf(fault),
      ...(doubt && { warnings: placesOf(doubt) }),
      judged: requests.map(({ id }) => id),
      passed: typeof passed === 'string' ? passed : passed(requests),
      missing: `no ${noun} was sent`,
    };
  };
  return { rule, judge };
}

/** True for a documented path, in any version: `client/path-version` judges the version. */
export function isPath(path: string, documented: string): boolean {
  if (path.startsWith('/v1/')) return path === documented;
  return path.endsWith(documented.replace('/v1', ''));
}

/** A value as shown in a reason: JSON, at most 120 characters. */
export function quoted(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

/** The items by key, keys in order of their first item. */
export function groupBy<Key, Item>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** The items whose key an earlier one has, each after the first with this key. */
export function repeats<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): (readonly [first: Item, again: Item])[] {
  const firstWith = new Map<string, Item>();
  return items.flatMap((item) => {
    const first = firstWith.get(keyOf(item));
    if (first !== undefined) return [[first, item] as const];
    firstWith.set(keyOf(item), item);
    return [];
  });
}
