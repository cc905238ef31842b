import type { Deviation } from '../habits.ts';
import { type WrongClient, wrong } from '../wrong-client.ts';

const overlap = wrong('overlap');

/** A client that asks for a token again and again, whatever it is refused. */
const asksOn = (mistake: string, backoffMs: (attempt: number) => number): WrongClient =>
  overlap(mistake, 'client/ban-respected', { maxRefusals: 100, backoffMs });

/** One request at a time: each sees the answer to the one before. */
export const OVERLAP: readonly WrongClient[] = [
  ...[4, 5, 8].map((times) =>
    overlap(`asks for a token ${times} times at once`, 'client/ban-respected', {
      maxRefusals: times,
      backoffMs: () => 1,
    }),
  ),
  asksOn('asks for a token at each estimate, whatever was refused', () => 10),
  asksOn('asks for a token every two seconds', () => 2000),
  asksOn('asks for a token every four seconds', () => 4000),
  asksOn('asks for a token every five seconds', () => 5000),
  asksOn('waits twice as long after each refusal', (attempt) => 500 * 2 ** attempt),
  overlap(
    'uses the older token once after a refresh',
    ['client/user-token-newest', 'client/expiry-respected'],
    {
      marginMs: 1200,
      pickToken: (all, uses) => (uses === 0 ? (all.at(-2) ?? all.at(-1)) : all.at(-1)),
      intervalMs: 1,
    } as Deviation,
  ),
  overlap('tries a refused token again at once', 'client/user-token-newest', {
    onUnauthorised: 'retry-first',
    retryPauseMs: 5,
    estimateAttempts: 3,
  }),
  overlap('keeps a refused token', 'client/user-token-newest', {
    onUnauthorised: 'keep',
    retryPauseMs: 5,
  }),
  overlap(
    'refreshes with the refresh_token before the newest',
    ['client/refresh-newest', 'client/refresh-single-use'],
    {
      pickRefresh: (all) => all.at(-2) ?? all.at(-1),
    },
  ),
  overlap(
    'refreshes with its first refresh_token',
    ['client/refresh-newest', 'client/refresh-single-use'],
    {
      pickRefresh: ([first]) => first,
    },
  ),
  overlap('uses a token a second after its end', 'client/expiry-respected', { marginMs: -1000 }),
];
