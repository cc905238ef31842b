import type { Attempt, Form } from '../../form.ts';
import { type AccessToken, DAY_MS, dayOf, HOUR_MS, MINUTE_MS } from '../../state.ts';
import { answer, early, forgive, isUsers, onRefusal } from '../builders.ts';

const late = (
  ms: number,
  isMeant: (token: AccessToken, r: Attempt) => boolean = () => true,
): Form =>
  forgive(
    'expired',
    (r) => r.token !== null && isMeant(r.token, r) && r.service.now() < r.token.expires + ms,
  );

const earlier = (r: Attempt, ms: number): boolean =>
  r.token !== null && r.service.now() > r.token.expires - ms;

const stillValid = (isAlive: (token: AccessToken, r: Attempt) => boolean): Form =>
  forgive('expired', (r) => r.token !== null && isAlive(r.token, r));

/** Ends valid tokens of the partner that a request names. */
function endTokens({ service, partner }: Attempt, isMeant: (token: AccessToken) => boolean): void {
  for (const token of service.tokens.values())
    if (token.partner === partner && isMeant(token)) token.endedAt ??= service.now();
}

/** Access tokens that live too long, or not to their end. */
export const ACCESS_TOKEN_LIFE: Readonly<Record<string, Form>> = {
  'lifecycle/access-token-expires#sliding': late(
    DAY_MS * 30,
    (token, r) =>
      token.usedAt !== null && r.service.now() - token.usedAt < token.expires - token.issued,
  ),
  'lifecycle/access-token-expires#a-minute-late': late(MINUTE_MS),
  'lifecycle/access-token-expires#five-minutes-late': late(5 * MINUTE_MS),
  'lifecycle/access-token-expires#never': late(1e15),
  'lifecycle/access-token-expires#works-again-later': forgive(
    'expired',
    (r) => r.token !== null && r.service.now() > r.token.expires + HOUR_MS,
  ),
  'lifecycle/access-token-expires#unused': late(1e15, (token) => token.usedAt === null),
  'lifecycle/access-token-expires#refreshed': late(1e15, ({ generation }) => generation > 0),
  'lifecycle/access-token-expires#with-wide-scope': late(1e15, ({ scope }) => scope.includes(' ')),
  'lifecycle/access-token-expires#user': late(1e15, isUsers),
  'lifecycle/access-token-expires#minutes': answer((json) => {
    json['expires_in_second'] = Math.ceil(Number(json['expires_in_second']) / 60);
  }),
  'lifecycle/access-token-expires#cached-five-minutes': forgive(
    'expired',
    (r) => r.service.now() - (r.token?.usedAt ?? 0) < 5 * MINUTE_MS,
  ),
  'lifecycle/access-token-expires#leeway-of-30-seconds': forgive(
    'expired',
    (r) => !earlier(r, -30_000),
  ),
  'lifecycle/access-token-expires#to-the-minute': stillValid(
    ({ expires }, r) => r.service.now() < Math.ceil(expires / MINUTE_MS) * MINUTE_MS,
  ),
  'lifecycle/access-token-expires#extended-by-newer': stillValid(
    (token, r) =>
      token.user === null &&
      [...r.service.tokens.values()].some(
        (other) =>
          other.partner === token.partner &&
          other.user === null &&
          other.issued > token.issued &&
          other.issued < token.expires &&
          r.service.now() < other.expires,
      ),
  ),
  'lifecycle/access-token-expires#extended-by-refresh': stillValid((token, r) =>
    [...r.service.refreshes.values()].some(
      (one) =>
        one.access === token &&
        one.usedAt !== null &&
        one.usedAt < token.expires &&
        r.service.now() < one.usedAt + (token.expires - token.issued),
    ),
  ),
  'lifecycle/access-token-expires#extended-by-use-near-end': stillValid(
    (token, r) =>
      token.usedAt !== null &&
      token.usedAt > token.expires - 5 * MINUTE_MS &&
      r.service.now() < token.expires + 5 * MINUTE_MS,
  ),
  'lifecycle/access-token-valid-until-expiry#half': early(
    (token, now) => now - token.issued > (token.expires - token.issued) / 2,
  ),
  'lifecycle/access-token-valid-until-expiry#used-at-half': early(
    (token, now) =>
      token.usedAt !== null && now - token.issued > (token.expires - token.issued) / 2,
  ),
  'lifecycle/access-token-valid-until-expiry#idle': early(
    (token, now) => now - (token.usedAt ?? token.issued) > 30 * MINUTE_MS,
  ),
  'lifecycle/access-token-valid-until-expiry#twenty-uses': early((token) => token.uses >= 20),
  'lifecycle/access-token-valid-until-expiry#user': early(
    (token, now) => isUsers(token) && now > token.expires - MINUTE_MS,
  ),
  'lifecycle/access-token-valid-until-expiry#refreshed': early(
    (token, now) => token.generation > 0 && now > token.expires - MINUTE_MS,
  ),
  'lifecycle/access-token-valid-until-expiry#with-wide-scope': early(
    (token, now) => token.scope.includes(' ') && now > token.expires - MINUTE_MS,
  ),
  'lifecycle/access-token-valid-until-expiry#milliseconds': answer((json) => {
    json['expires_in_second'] = Number(json['expires_in_second']) * 1000;
  }),
  'lifecycle/access-token-valid-until-expiry#30-seconds-early': early((_one, _now, r) =>
    earlier(r, 30_000),
  ),
  'lifecycle/access-token-valid-until-expiry#with-the-one-that-it-replaced': early(
    (token, now, r) =>
      [...r.service.refreshes.values()].some(
        ({ successor, access }) =>
          successor?.access === token && token.issued < access.expires && now > access.expires,
      ),
  ),
  'lifecycle/access-token-valid-until-expiry#midnight': early(
    (one, _now, r) => dayOf(one.issued, 0) !== dayOf(r.service.now(), 0),
  ),
  'lifecycle/access-token-valid-until-expiry#midnight-in-china': early(
    (one, _now, r) => dayOf(one.issued, 8) !== dayOf(r.service.now(), 8),
  ),
  'lifecycle/access-token-valid-until-expiry#epoch': answer((json, r) => {
    json['expires_in_second'] =
      Math.floor(r.service.now() / 1000) + Number(json['expires_in_second']);
  }),
  'lifecycle/access-token-valid-until-expiry#refresh-names-twice': answer((json, r) => {
    if (r.kind === 'refresh') json['expires_in_second'] = Number(json['expires_in_second']) * 2;
  }),
  'lifecycle/access-token-valid-until-expiry#to-the-hour': early(
    (token, _now, r) =>
      r.service.now() > Math.floor(token.expires / HOUR_MS) * HOUR_MS &&
      r.service.now() - token.issued > HOUR_MS,
  ),
  'lifecycle/access-token-valid-until-expiry#ended-by-a-wrong-signature': onRefusal(
    'signature',
    (r) => endTokens(r, isUsers),
  ),
  'lifecycle/access-token-valid-until-expiry#ended-by-an-old-time': onRefusal('time-old', (r) =>
    endTokens(r, isUsers),
  ),
  'lifecycle/access-token-valid-until-expiry#ended-by-an-unknown-code': onRefusal(
    'code-unknown',
    (r) => endTokens(r, isUsers),
  ),
  'lifecycle/access-token-valid-until-expiry#platform-ended-by-a-wrong-signature': onRefusal(
    'signature',
    (r) => endTokens(r, (token) => !isUsers(token)),
  ),
};
