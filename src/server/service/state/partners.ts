import type { RandomSource } from '../random.ts';

/** A partner of the service. */
export interface Partner {
  readonly id: string;
  readonly signingKey: string;
  /** Specially agreed channel: its estimates are locked for 60 minutes (interface.md, "Limits"). */
  readonly longLock: boolean;
  /** Position in the order in which partners were added; estimate ids refer to it. */
  readonly index: number;
}

/** The partners of the service. */
export class Partners {
  readonly #byId = new Map<string, Partner>();
  readonly #byIndex: Partner[] = [];
  /** Called with each partner that is added; for a copy of them. */
  onAdd: ((partner: Partner) => void) | null = null;

  /** Adds a partner, in place of one with the same id. */
  add(id: string, signingKey: string, longLock: boolean): Partner {
    const partner: Partner = { id, signingKey, longLock, index: this.#byIndex.length };
    this.#byId.set(id, partner);
    this.#byIndex.push(partner);
    this.onAdd?.(partner);
    return partner;
  }

  /** Adds a partner with a random id and signing key. */
  addFresh(longLock: boolean, random: RandomSource): Partner {
    const id = `p-${random(6).toString('hex')}`;
    return this.add(id, random(16).toString('hex'), longLock);
  }

  find(id: string): Partner | undefined {
    return this.#byId.get(id);
  }

  /** Every partner, in the order in which they were added. */
  get all(): readonly Partner[] {
    return this.#byIndex;
  }

  at(index: number): Partner | undefined {
    return this.#byIndex[index];
  }
}
