import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Caller } from '../../../../../src/conformance/service/contract/check.ts';
import type {
  TokenAnswer,
  TokenAttempt,
} from '../../../../../src/conformance/service/contract/messages.ts';
import { atOnce } from '../../../../../src/conformance/service/rules/script/at-once.ts';

const ANSWER = { outcome: 'accepted', status: 200, sentAtMs: 0, answeredAtMs: 0 } as TokenAnswer;
const attempt = (purpose: string): TokenAttempt => ({ purpose, fields: {} });

it('holds the last bytes back until all requests are under way', async () => {
  const opened: string[] = [];
  let haveTurn = (): void => {};
  const turn = new Promise<void>((resolve) => {
    haveTurn = resolve;
  });
  const caller = {
    pause: async () => undefined,
    token: async ({ purpose, gate }: TokenAttempt) => {
      if (purpose === 'second') await turn;
      gate?.arrive();
      await gate?.opened;
      opened.push(purpose);
      return ANSWER;
    },
  } as Partial<Caller> as Caller;
  const answers = atOnce(caller, [attempt('first'), attempt('second')], ANSWER);
  await nextTurn();
  expect(opened).toEqual([]);
  haveTurn();
  expect(await answers).toEqual([ANSWER, ANSWER]);
  expect(opened).toEqual(['first', 'second']);
});

it('does not wait for a request that is answered from a recording', async () => {
  const caller = {
    pause: async () => undefined,
    token: async () => ANSWER,
  } as Partial<Caller> as Caller;
  expect(await atOnce(caller, [attempt('first'), attempt('second')], ANSWER)).toHaveLength(2);
});

// A rejection that nobody awaits yet ends the process: the wait is longer than any promise takes.
it('ends with the error of a request that was not sent, once no other is under way', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.prependListener('unhandledRejection', note);
  const ended: string[] = [];
  const caller = {
    pause: async (ms: number) => {
      await wait(ms);
    },
    token: async ({ purpose, gate }: TokenAttempt) => {
      if (purpose === 'stopped') throw new Error('a further refresh was not sent');
      gate?.arrive();
      await gate?.opened;
      await wait(5);
      ended.push(purpose);
      return ANSWER;
    },
  } as Caller;
  const attempts = [attempt('stopped'), attempt('sent')];
  await expect(atOnce(caller, attempts, ANSWER)).rejects.toThrow('a further refresh was not sent');
  process.off('unhandledRejection', note);
  expect(ended).toEqual(['sent']);
  expect(unhandled).toEqual([]);
});
