import type { Deviation } from '../habits.ts';
import { type WrongClient, wrong } from '../wrong-client.ts';

const plain = wrong('plain');

/** Plain mistakes, one of each kind. */
export const PLAIN: readonly WrongClient[] = [
  plain('has a nostr with a dash', 'client/nostr', {
    nostr: (random) => random().replace(/^./, '-'),
  }),
  plain('has a nostr of five', 'client/nostr', { nostr: (random) => random().slice(1) }),
  plain('counts its nostr from 1 in each run', 'client/nostr-random', { nostr: () => '000001' }),
  plain('separates scopes by commas', 'client/scope-known', {
    scope: () => 'public,rides.read,rides.request',
  }),
  plain('keeps one time for all requests', ['client/timestamp-fresh', 'scenario'], cachedTime()),
  plain('requests a token for each estimate', ['client/quota-platform', 'client/token-reused'], {
    replaces: () => true,
    refreshes: false,
  }),
  plain('refreshes before each third estimate', 'client/token-reused', {
    replaces: (nth) => nth % 3 === 0,
  }),
];

/** Reads the clock once in its life. */
function cachedTime(): Deviation {
  return {
    run: async (client) => {
      const first = new Date(client.surroundings.now()).toISOString();
      Object.assign(client.habits, { time: () => first });
      await client.runWorkers();
    },
  };
}
