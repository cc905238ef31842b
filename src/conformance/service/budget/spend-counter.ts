import type { Spend } from '../../../documents/conformance.ts';
import type { AllowanceKind } from '../../../interface/limits.ts';
import { ALLOWANCE_WINDOW_MS } from './ledger.ts';

const NOTHING: Spend = { platform: 0, user: 0, refresh: 0 };

/** Counts the token requests of a run, its earlier parts included. */
export class SpendCounter {
  readonly #counted: { partnerId: string; kind: AllowanceKind; atMs: number }[] = [];
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
      (one) => one.partnerId === partnerId && one.kind === kind && one.atMs > sinceMs,
    ).length;
  }

  /** Checks whether requests from before the run may still count against today's allowance. */
  isSameDay(): boolean {
    return this.#wall() < this.#startedAtMs + ALLOWANCE_WINDOW_MS;
  }
}
