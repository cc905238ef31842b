import { setTimeout as wait } from 'node:timers/promises';
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
  const caller = {
    pause: async (ms: number) => {
      await wait(ms);
    },
    token: async ({ purpose, gate }: TokenAttempt) => {
      await gate;
      opened.push(purpose);
      return ANSWER;
    },
  } as Caller;
  const answers = atOnce(caller, [attempt('first'), attempt('second')], ANSWER);
  expect(opened).toEqual([]);
  expect(await answers).toEqual([ANSWER, ANSWER]);
  expect(opened).toEqual(['first', 'second']);
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
      await gate;
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
