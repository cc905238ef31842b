import { expect, it } from 'vitest';
import { judgeClient } from '../../../../src/conformance/client/judging/judge-client.ts';
import {
  type ClientRecord,
  listeningRecord,
} from '../../../../src/conformance/client/judging/rule-result.ts';
import {
  estimate,
  observe,
  refresh,
  tokenRequest,
  userEstimate,
  userToken,
} from '../client-traffic.ts';

const record = (exchanges: Parameters<typeof observe>[0]): ClientRecord =>
  listeningRecord(observe(exchanges), true);
/** An estimate so many milliseconds after the end of its token. */
const late = (ms: number): ClientRecord =>
  record([tokenRequest('a', {}, 2), estimate('a', { at: 2005 + ms })]);
/** A client with one connection at a time that uses an older user token once. */
const older = (): ClientRecord =>
  record([
    userToken('a', { connection: 1, overlaps: false }),
    refresh('a', 'b', { at: 1000, connection: 1, overlaps: false }),
    userEstimate('a', { at: 1400, connection: 2, overlaps: false }),
  ]);

/** A record of a scenario whose server was held up for some time. */
const heldUp = (ms: number, { requests }: ClientRecord): ClientRecord => ({
  ...record([]),
  requests,
  judges: ['*'],
  frame: {
    name: 'token-expiry',
    mode: 'platform',
    estimates: 1,
    atLeast: 0,
    stimuli: [],
    ended: 'by-itself',
    endedMs: 0,
    goesOnRule: null,
    mayOutlast: true,
    heldUpMs: ms,
  },
});

const EXPIRY = 'client/expiry-respected';
const NEWEST = 'client/user-token-newest';

it.each([
  ['one late estimate of at most 1.5 s', [late(900)], []],
  ['one of more', [late(1600)], [EXPIRY]],
  ['two in two scenarios', [late(300), late(300)], [EXPIRY]],
  ['one in each of eight scenarios', Array.from({ length: 8 }, () => late(900)), [EXPIRY]],
  ['one older user token', [older()], []],
  ['two older user tokens', [older(), older()], [NEWEST]],
  ['two in two scenarios that were held up', [heldUp(400, late(300)), heldUp(400, late(900))], []],
  ['two where only one was held up', [heldUp(400, late(300)), late(300), late(300)], [EXPIRY]],
  ['two that were held up a little', [heldUp(200, late(300)), heldUp(200, late(300))], [EXPIRY]],
  ['one that is later than a stall explains', [heldUp(400, late(1600))], [EXPIRY]],
  ['one late estimate and one older user token', [late(900), older()], [EXPIRY, NEWEST]],
  ['one late estimate beside one that is no chance', [late(900), late(1600)], [EXPIRY]],
])('judges %s in a whole certification', (_case, records, failed) => {
  const { rules } = judgeClient(records, 'no');
  const red = rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  expect(red).toEqual(failed);
});

it('does not judge a rule by a scenario that was held up, and says so', () => {
  const { rules } = judgeClient([heldUp(400, late(900))], 'no');
  expect(rules.find(({ id }) => id === EXPIRY)).toMatchObject({
    verdict: 'inconclusive',
    reason: expect.stringContaining('held up the scenario for 400 ms'),
  });
});

it('names every late estimate where none is excused', () => {
  const { rules } = judgeClient([late(900), late(1600)], 'no');
  expect(rules.find(({ id }) => id === EXPIRY)?.reason).toMatch(/900 ms .*\(and 1 more\)$/);
});
