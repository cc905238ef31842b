import { type Deviation, type Fields, jsonIn, RIGHT, tokenIn } from './habits.ts';
import { open, type RightClient } from './right-client.ts';
import type { WireAnswer } from './wire.ts';

/** Ends the client at an estimate that it does not expect. */
const expecting = (isExpected: (answer: WireAnswer) => boolean): Deviation => ({
  readEstimate: (answer) => {
    if (!isExpected(answer)) throw new Error('unexpected');
    return RIGHT.readEstimate(answer);
  },
});

/**
 * Clients that end at a failure, which no rule forbids: they are accused of nothing, and get no
 * certificate, because some scenario sees too little of them.
 */
export const STOPPING_CLIENTS: readonly RightClient[] = [
  ...[429, 500, 202, 302, 400, 503].map((status) =>
    open(
      `ends at an estimate refused with ${status}`,
      expecting((answer) => answer.status !== status),
    ),
  ),
  ...[202, 302, 400, 429, 500].map((status) =>
    open(`ends at a token request refused with ${status}`, {
      readToken: (answer, attempt) => {
        if (answer.status === status) throw new Error('unexpected');
        return RIGHT.readToken(answer, attempt);
      },
    }),
  ),
  open(
    'ends when a refusal is not an array of records',
    expecting(({ text }) => Array.isArray(jsonIn(text))),
  ),
  open(
    'ends when an answer has no body',
    expecting(({ text }) => text !== ''),
  ),
  open(
    'ends at an estimate that is not whole JSON',
    expecting(({ text }) => jsonIn(text) !== null || text === ''),
  ),
  open('ends at a token that is not whole JSON', {
    readToken: ({ status, text }) => {
      if (status === 200 && tokenIn(text) === null) throw new Error('unexpected');
      return status === 200 ? (jsonIn(text) as Fields) : null;
    },
  }),
  open('ends at a refused refresh', {
    diesOf: (_kind, outcome, isRefresh) => isRefresh && outcome === 'refused',
  }),
  open('ends at the second failed estimate in a row', { maxFailedEstimates: 2 }),
  open('ends at the third failed estimate in a row', {
    maxFailedEstimates: 3,
    estimateAttempts: 4,
  }),
  open('ends at a failed estimate of a user', {
    run: async (client) => {
      const isUser = client.environment.FAREPROOF_MODE === 'user';
      Object.assign(client.habits, isUser ? { maxFailedEstimates: 1 } : {});
      await client.runWorkers();
    },
  }),
];
