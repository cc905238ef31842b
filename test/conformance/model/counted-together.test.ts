import { expect, it } from 'vitest';
import type { Request } from '../../../src/conformance/model/allowance-reading.ts';
import { countedTogether } from '../../../src/conformance/model/counted-together.ts';
import { DAYS } from '../../../src/conformance/model/days.ts';

/** Requests of a partner: user tokens, refreshes of them, and one refresh that is refused. */
type Use = readonly [partner: string, users: number, refreshes: number, refused?: 'refused'];

const START = Date.UTC(2026, 5, 1, 12, 7);

function logOf(uses: readonly Use[]): Request[] {
  const log: Request[] = [];
  const add = (partner: string, kind: Request['kind'], outcome: Request['outcome']): void => {
    const number = log.length + 1;
    const atMs = START + number * 1000;
    const token = `${partner} token`;
    log.push({
      id: `x${number}`,
      number,
      partner,
      kind,
      outcome,
      sentMs: atMs,
      answeredMs: atMs + 1,
      wallMs: atMs,
      status: outcome === 'accepted' ? 200 : 403,
      isRight: true,
      isWrong: false,
      isRepeated: false,
      retryAfterS: null,
      sent: { accessToken: null, refreshToken: kind === 'refresh' ? token : null, authCode: null },
      got: { accessToken: null, refreshToken: kind === 'user' ? token : null, lifeMs: null },
      form: '',
      body: '',
    });
  };
  for (const [partner, users, refreshes, end] of uses) {
    for (let at = 0; at < users; at++) add(partner, 'user', 'accepted');
    for (let at = 0; at < refreshes; at++) add(partner, 'refresh', 'accepted');
    if (end) add(partner, 'refresh', end);
  }
  return log;
}

const found = (...uses: Use[]): string | undefined => {
  const log = logOf(uses);
  const asked = log.findLast(({ outcome }) => outcome === 'refused')!;
  return countedTogether(asked, log, DAYS)?.words;
};

const [A, B]: Use[] = [
  ['a', 3, 2, 'refused'],
  ['b', 1, 4, 'refused'],
];

it('names the kinds of requests that share an allowance', () => {
  expect(found(A!, B!)).toBe(
    ", once 5 user token requests and refreshes of users' tokens had been accepted that day",
  );
});

it.each<[what: string, uses: Use[]]>([
  ['one partner', [A!]],
  ['partners that did the same', [A!, ['b', 3, 2, 'refused']]],
  [
    'a number that no allowance has',
    [
      ['a', 3, 3, 'refused'],
      ['b', 1, 5, 'refused'],
    ],
  ],
  ['a partner that was granted more', [['c', 3, 3], A!, B!]],
  ['a partner that was refused before', [['c', 1, 1, 'refused'], A!, B!]],
])('concludes nothing from %s', (_, uses) => {
  expect(found(...uses)).toBeUndefined();
});
