import type { Attempt, Form } from '../../form.ts';
import { type AccessToken, HOUR_MS, MINUTE_MS } from '../../state.ts';
import { early, forgive } from '../builders.ts';

/** At most so many platform tokens at a time. */
const atMost = (most: number): Form =>
  endsPlatform((older, _newer, r) => livingOf(r).length >= most && livingOf(r)[0] === older);

/** Ends platform tokens as the partner is issued another one. */
const endsPlatform = (
  isEnded: (older: AccessToken, newer: AccessToken, r: Attempt) => boolean,
): Form =>
  ends((older, newer, r) => older.user === null && newer.user === null && isEnded(older, newer, r));

const ends = (isEnded: (older: AccessToken, newer: AccessToken, r: Attempt) => boolean): Form => ({
  ends: (older, newer, r, so) => so || isEnded(older, newer, r),
});

const livingOf = (r: Attempt): AccessToken[] =>
  [...r.service.tokens.values()].filter(
    ({ partner, user, endedAt }) => partner === r.partner && user === null && endedAt === null,
  );

const keeps = (isKept: (older: AccessToken, newer: AccessToken, r: Attempt) => boolean): Form => ({
  ends: (older, newer, r, so) => so && !isKept(older, newer, r),
});

type Ended = AccessToken & { endedAt: number };

const ended = (isAccepted: (token: Ended, now: number, r: Attempt) => boolean): Form =>
  forgive(
    'token-ended',
    (r) => r.token?.endedAt != null && isAccepted(r.token as Ended, r.service.now(), r),
  );

/** Tokens of the same user since one was ended. */
const successorsOf = ({ partner, user, endedAt }: Ended, r: Attempt): AccessToken[] =>
  [...r.service.tokens.values()].filter(
    (one) => one.partner === partner && one.user === user && one.issued >= endedAt,
  );

/** Tokens that end, or do not end, as another is issued. */
export const ISSUED_TOKENS: Readonly<Record<string, Form>> = {
  'lifecycle/platform-tokens-coexist#two': atMost(2),
  'lifecycle/platform-tokens-coexist#three': atMost(3),
  'lifecycle/platform-tokens-coexist#four': atMost(4),
  'lifecycle/platform-tokens-coexist#five': atMost(5),
  'lifecycle/platform-tokens-coexist#same-scope': endsPlatform(
    (older, newer) => older.scope === newer.scope,
  ),
  'lifecycle/platform-tokens-coexist#other-scope': endsPlatform(
    (older, newer) => older.scope !== newer.scope,
  ),
  'lifecycle/platform-tokens-coexist#a-minute-later': early(
    (token, now, r) =>
      token.user === null &&
      livingOf(r).some((one) => one.issued > token.issued && now - one.issued > MINUTE_MS),
  ),
  'lifecycle/platform-tokens-coexist#unused-before': endsPlatform((older) => older.usedAt === null),
  'lifecycle/platform-tokens-coexist#used-before': endsPlatform((older) => older.usedAt !== null),
  'lifecycle/platform-tokens-coexist#refresh-ends-others': endsPlatform(
    (older, _newer, r) => r.kind === 'refresh' && older !== r.refresh?.access,
  ),
  'lifecycle/platform-tokens-coexist#newer-used': early(
    (token, _now, r) =>
      token.user === null &&
      livingOf(r).some((one) => one.issued > token.issued && one.usedAt !== null),
  ),
  'lifecycle/platform-tokens-coexist#exchange-ends-them': ends(
    (older, newer) => newer.user !== null && older.user === null,
  ),
  'lifecycle/platform-tokens-coexist#of-all-partners': early(
    (token, _now, r) =>
      token.user === null &&
      [...r.service.tokens.values()].some(
        (one) => one.user === null && one.partner !== token.partner && one.issued > token.issued,
      ),
  ),
  'lifecycle/platform-tokens-coexist#at-once': endsPlatform(
    (older, newer) => newer.issued - older.issued < 20,
  ),
  'lifecycle/platform-tokens-coexist#eight': atMost(8),
  'lifecycle/access-token-valid-until-expiry#user-ended-by-platform': ends(
    (older, newer, r) => older.user !== null && newer.user === null && r.kind === 'platform',
  ),
  'lifecycle/access-token-valid-until-expiry#user-ended-by-platform-refresh': ends(
    (older, newer, r) => older.user !== null && newer.user === null && r.kind === 'refresh',
  ),
  'lifecycle/user-token-newest-only#last-of-the-partner': keeps((older, _newer, r) =>
    [...r.service.tokens.values()].some(
      ({ partner, user, issued }) =>
        partner === older.partner && user !== null && user !== older.user && issued > older.issued,
    ),
  ),
  'lifecycle/user-token-newest-only#by-refresh': keeps((_older, _newer, r) => r.kind === 'refresh'),
  'lifecycle/user-token-newest-only#by-code': keeps((_older, _newer, r) => r.kind === 'user'),
  'lifecycle/user-token-newest-only#other-scope': keeps(
    (older, newer) => older.scope !== newer.scope,
  ),
  'lifecycle/user-token-newest-only#grace-of-30-s': ended(
    (token, now) => now - token.endedAt < 30_000,
  ),
  'lifecycle/user-token-newest-only#after-a-minute': ended(
    (token, now) => now - token.endedAt > MINUTE_MS,
  ),
  'lifecycle/user-token-newest-only#after-an-hour': ended(
    (token, now) => now - token.endedAt > HOUR_MS,
  ),
  'lifecycle/user-token-newest-only#until-the-newer-is-used': ended((token, _now, r) =>
    [...r.service.tokens.values()].every(
      (one) => one.user !== token.user || one.issued < token.endedAt || one.usedAt === null,
    ),
  ),
  'lifecycle/user-token-newest-only#two-newest': ended(
    (token, _now, r) => successorsOf(token, r).length === 1,
  ),
  'lifecycle/user-token-newest-only#third': ended(
    (token, _now, r) => successorsOf(token, r).length > 1,
  ),
  'lifecycle/user-token-newest-only#refreshed-survive': keeps((older) => older.generation > 0),
  'lifecycle/user-token-newest-only#used-survive': keeps((older) => older.usedAt !== null),
  'lifecycle/user-token-newest-only#unused-survive': keeps((older) => older.usedAt === null),
  'lifecycle/user-token-newest-only#at-once': {
    ends: (older, newer, _r, isEnded) => isEnded && newer.issued - older.issued > 20,
  },
  'lifecycle/user-token-newest-only#other-chain': {
    ends: (older, _newer, r, isEnded) =>
      isEnded && (r.kind !== 'refresh' || older === r.refresh?.access),
  },
  'lifecycle/user-token-newest-only#oldest-wins': {
    ...forgive('token-ended'),
    ...early(
      (one, _now, r) =>
        one.user !== null &&
        [...r.service.tokens.values()].some(
          (other) =>
            other.partner === one.partner &&
            other.user === one.user &&
            other.issued < one.issued &&
            r.service.now() < other.expires,
        ),
    ),
  },
  'lifecycle/user-token-newest-only#cached-a-minute': forgive(
    'token-ended',
    (r) => r.service.now() - (r.token?.usedAt ?? 0) < MINUTE_MS,
  ),
};
