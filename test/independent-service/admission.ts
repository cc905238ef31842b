import type { AtOnce } from './style.ts';

/** Admits a number of requests at once; those beyond wait for their turn, or are refused. */
export class Admission {
  readonly #limit: AtOnce | undefined;
  readonly #underWay = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];

  constructor(limit: AtOnce | undefined) {
    this.#limit = limit;
  }

  /**
   * Waits for the turn of a request.
   *
   * @param name partner that it is counted for
   * @returns ends the request; null if it is refused
   */
  async enter(name: string): Promise<(() => void) | null> {
    const limit = this.#limit;
    if (!limit) return () => undefined;
    const counted = limit.per === 'partner' ? name : '';
    const number = (): number => this.#underWay.get(counted) ?? 0;
    while (number() >= limit.most) {
      if (limit.status !== undefined) return null;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    this.#underWay.set(counted, number() + 1);
    return () => {
      this.#underWay.set(counted, number() - 1);
      for (const next of this.#waiting.splice(0)) next();
    };
  }
}
