import type { MovableClock } from '../service/clock.ts';
import type { ServiceState } from '../service/service-state.ts';
import type { Partner } from '../service/state/partners.ts';
import type { Grant, GrantRecord } from '../service/state/tokens.ts';
import type { Change } from './messages.ts';
import type { WorkerLink } from './worker-link.ts';

/** Tokens that a new worker gets at once: a few milliseconds of its time. */
const COPIED_AT_ONCE = 1000;

/** Copies of the owner's state in its workers. */
export class Replication {
  readonly #state: ServiceState;
  readonly #clock: MovableClock;
  readonly #links = new Set<WorkerLink>();
  #changes: Change[] = [];
  /** Number of changes so far, those included that were sent. */
  #count = 0;
  /** The next flush, once one is asked for. */
  #next: Promise<void> | null = null;
  /** Resolves with the last flush; earlier ones have resolved then. */
  #latest: Promise<unknown> = Promise.resolve();

  constructor(state: ServiceState, clock: MovableClock) {
    this.#state = state;
    this.#clock = clock;
    const add = (change: Change): void => {
      this.#changes.push(change);
      this.#count++;
    };
    state.tokens.observer = {
      admitted: (grant) => add({ kind: 'admitted', grant: recordOf(grant) }),
      superseded: ({ accessToken }) => add({ kind: 'superseded', accessToken }),
    };
    state.partners.onAdd = (partner) => add(changeOf(partner));
    clock.onMove = (offsetMs) => {
      add({ kind: 'clock', offsetMs });
      void this.settled();
    };
  }

  /**
   * Resolves once the changes so far are in effect in every worker that gets connections. Changes of one
   * turn of the event loop go out together.
   */
  settled(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#next = null;
        void this.#flush().then(() => resolve());
      });
    });
    return this.#next;
  }

  /** Does some work; resolves once what it changed is in effect in the workers. */
  async after<T>(work: () => T | Promise<T>): Promise<T> {
    const before = this.#count;
    const result = await work();
    if (this.#count !== before) await this.settled();
    return result;
  }

  /** Gives a new worker its first copy, and from now on every change. */
  async copyTo(link: WorkerLink): Promise<void> {
    const { partners, tokens } = this.#state;
    void this.#flush();
    this.#links.add(link);
    const first = partners.all.map(changeOf);
    await link.push([{ kind: 'clock', offsetMs: this.#clock.offsetMs }, ...first]);
    let some: Change[] = [];
    for (const grant of tokens.valid(this.#clock.now())) {
      some.push({ kind: 'admitted', grant: recordOf(grant) });
      if (some.length < COPIED_AT_ONCE) continue;
      await link.push(some);
      some = [];
    }
    await link.push(some);
  }

  /** Forgets a worker that has ended. */
  forget(link: WorkerLink): void {
    this.#links.delete(link);
  }

  #flush(): Promise<unknown> {
    const changes = this.#changes;
    if (changes.length === 0) return this.#latest;
    this.#changes = [];
    const awaited: Promise<unknown>[] = [this.#latest];
    for (const link of this.#links) {
      const applied = link.push(changes);
      if (link.isServing) awaited.push(applied);
    }
    this.#latest = Promise.all(awaited);
    return this.#latest;
  }
}

function changeOf({ id, signingKey, longLock }: Partner): Change {
  return { kind: 'partner', id, signingKey, longLock };
}

function recordOf({ partner, userId, scope, accessToken, accessExpiresAtMs }: Grant): GrantRecord {
  return { partnerIndex: partner.index, userId, scope, accessToken, accessExpiresAtMs };
}
