import type { Spend } from '../../../documents/conformance.ts';
import { FareproofError } from '../../../interface/errors.ts';
import {
  ALLOWANCE_KINDS,
  ALLOWANCE_OF_GRANT,
  ALLOWANCE_PER_DAY,
  type AllowanceKind,
  type GrantType,
} from '../../../interface/limits.ts';
import { ALLOWANCE_WINDOW_MS } from '../../../spending/index.ts';
import { parseJson } from '../../parse-json.ts';
import type { Fields, TokenAttempt } from '../contract/messages.ts';
import type { Budget } from './budgets.ts';

/** Allowances that a token request may count against: all where it names no known grant type. */
export function allowancesOf({ fields, body }: TokenAttempt): readonly AllowanceKind[] {
  const sent = body === undefined ? fields : (parseJson(body) as Fields | null | undefined);
  const grant = sent?.['grant_type'];
  const isKnown = typeof grant === 'string' && Object.hasOwn(ALLOWANCE_OF_GRANT, grant);
  return isKnown ? [ALLOWANCE_OF_GRANT[grant as GrantType]] : ALLOWANCE_KINDS;
}

/**
 * Deducts a token request from what its check declared to spend.
 *
 * @throws FareproofError `ALLOWANCE_GUARD` if nothing is left
 */
export function deductDeclared(
  left: Record<AllowanceKind, number>,
  kinds: readonly AllowanceKind[],
): void {
  const over = kinds.find((kind) => left[kind] < 1);
  if (over !== undefined) {
    throw new FareproofError(
      'ALLOWANCE_GUARD',
      `a further ${over} token request was not sent: the rest of the allowance is planned for other checks`,
    );
  }
  for (const kind of kinds) left[kind]--;
}

const NOTHING: Spend = { platform: 0, user: 0, refresh: 0 };

/** Counts the token requests of a run, its earlier parts included. */
export class SpendCounter {
  readonly #counted: {
    partnerId: string;
    kind: AllowanceKind;
    atMs: number;
    /** True if it was refused, which counts against no allowance. */
    isFree?: true;
  }[] = [];
  readonly #byPartner = new Map<string, Spend>();
  readonly #wall: () => number;
  readonly #startedAtMs: number;

  /**
   * @param wall wall clock, ms since the epoch
   * @param startedAtMs start of the run's first part, ms since the epoch
   */
  constructor(wall: () => number, startedAtMs: number) {
    this.#wall = wall;
    this.#startedAtMs = startedAtMs;
  }

  /** Counts one request; where its kind is unclear, once for each kind. */
  add(partnerId: string, kinds: readonly AllowanceKind[], atMs: number = this.#wall()): void {
    const spent = { ...this.of(partnerId) };
    for (const kind of kinds) {
      spent[kind]++;
      this.#counted.push({ partnerId, kind, atMs });
    }
    this.#byPartner.set(partnerId, spent);
  }

  /** Takes the last request of a partner back, as it was refused: it counts among those sent only. */
  takeBack(partnerId: string, kinds: readonly AllowanceKind[]): void {
    const spent = { ...this.of(partnerId) };
    for (const kind of kinds) {
      const last = this.#counted.findLast(
        (one) => one.partnerId === partnerId && one.kind === kind && !one.isFree,
      );
      if (!last) continue;
      last.isFree = true;
      spent[kind]--;
    }
    this.#byPartner.set(partnerId, spent);
  }

  of(partnerId: string): Spend {
    return this.#byPartner.get(partnerId) ?? NOTHING;
  }

  get byPartner(): ReadonlyMap<string, Spend> {
    return this.#byPartner;
  }

  /** Token requests of all partners. */
  get total(): number {
    return this.#counted.length;
  }

  /** Requests of this run that may still count against today's allowance. */
  today(partnerId: string, kind: AllowanceKind): number {
    const sinceMs = this.#wall() - ALLOWANCE_WINDOW_MS;
    return this.#counted.filter(
      (one) =>
        one.partnerId === partnerId && one.kind === kind && one.atMs > sinceMs && !one.isFree,
    ).length;
  }

  /** Checks whether requests from before the run may still count against today's allowance. */
  isSameDay(): boolean {
    return this.#wall() < this.#startedAtMs + ALLOWANCE_WINDOW_MS;
  }
}

/**
 * Makes the last guard against a ban: it stops a request beyond an allowance of the day, whatever was
 * planned. A partner that may be banned is bound only by what its check declares.
 *
 * @param ledgerSpend spend of today, other runs included; undefined without a ledger
 * @returns throws FareproofError `ALLOWANCE_GUARD` for a request that must not be sent
 */
export function dailyLimit(
  budgets: readonly Budget[],
  counter: SpendCounter,
  ledgerSpend: ((partnerId: string) => Spend) | undefined,
): (partnerId: string, kinds: readonly AllowanceKind[]) => void {
  const guarded = new Map(budgets.map((budget) => [budget.partnerId, budget]));
  return (partnerId, kinds) => {
    const budget = guarded.get(partnerId);
    if (!budget || budget.mayBan) return;
    const over = kinds.find((kind) => {
      const limit = ALLOWANCE_PER_DAY[kind];
      const before = counter.isSameDay() ? limit - budget.left[kind] : 0;
      const counted = before + counter.today(partnerId, kind);
      return Math.max(counted, ledgerSpend?.(partnerId)[kind] ?? 0) >= limit;
    });
    if (over === undefined) return;
    throw new FareproofError(
      'ALLOWANCE_GUARD',
      `a further ${over} token request of ${partnerId} was not sent: it would exceed the allowance`,
    );
  };
}
