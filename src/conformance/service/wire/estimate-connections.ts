import type { WireRequest } from '../http/message.ts';
import type { PartLabel } from './evidence.ts';

/**
 * Ordinary estimates of a check, of which one is sent apart from odd requests; and estimates apart, of which
 * one opens a connection: that costs as much as the request.
 */
const ONE_IN = 4;

/**
 * Chooses the connections of estimates. Each odd one, and the first, fifth, ... ordinary one of a check, is sent
 * apart from odd requests: a target may judge the ordinary requests of a connection by another code than those that
 * follow an odd one. One in four of them opens a connection; the others use one whose requests were all accepted.
 */
export class EstimateConnections {
  /** Number of ordinary estimates sent so far, by the check, or the step around checks. */
  readonly #ordinary = new Map<string, number>();
  #apart = 0;

  /** Connection of the next estimate; undefined for any. */
  next({ part, expects }: PartLabel): WireRequest['apart'] {
    const sender = part.check ?? part.step ?? '';
    const count = this.#ordinary.get(sender) ?? 0;
    if (expects === 'accepted') this.#ordinary.set(sender, count + 1);
    if (expects === 'accepted' && count % ONE_IN !== 0) return undefined;
    return this.#apart++ % ONE_IN === 0 ? 'new' : 'unspoiled';
  }
}
