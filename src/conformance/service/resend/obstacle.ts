import type { Exchange } from '../../../documents/sealed.ts';
import { isOf } from '../contract/part-of-run.ts';
import { sentFields } from '../recheck/stored-session.ts';
import {
  type FormerRun,
  grantOf,
  isTokenRequest,
  pseudonymsIn,
  requestText,
  sentMs,
} from './former-run.ts';
import { renew, UnknownTimeError } from './renewal.ts';
import { isAged, lifeMsOf } from './token-age.ts';

/** Distance from the end of a token's life below which a second decides. */
const LEAST_DISTANCE_MS = 3000;

/**
 * Reason why a stored exchange cannot be sent again as what it was: what made it that is not stored, or
 * lies in the requests before it. Null if it can.
 *
 * @param movesClock whether the target that it is sent to has a control API; by default as the former one
 */
export function obstacleTo(
  exchange: Exchange,
  run: FormerRun,
  movesClock: boolean = run.targetOf(exchange)?.control ?? false,
): string | null {
  if (run.targetOf(exchange) === null) return 'it went to the control API, not to the service';
  if (exchange.partnerId === null)
    return 'it belongs to no partner: it only showed that the target answers';
  return (
    signatureObstacle(exchange) ??
    historyObstacle(exchange, run) ??
    tokenObstacle(exchange, run, movesClock) ??
    timeObstacle(exchange, run)
  );
}

/** Renews the request as a trial: a time may be in a form that is not known. */
function timeObstacle(exchange: Exchange, run: FormerRun): string | null {
  const trial = {
    byMs: 0,
    sentAtMs: sentMs(exchange),
    nostr: '',
    partnerIds: new Map(),
    secrets: new Map(),
  };
  try {
    renew(exchange, run.pathOf(exchange), trial);
    return null;
  } catch (error) {
    if (error instanceof UnknownTimeError) return error.message;
    throw error;
  }
}

function signatureObstacle({ request, signed, otherPartner }: Exchange): string | null {
  const cut = /\[part of ([a-z_]+) /.exec(
    [request.url, request.body, ...Object.values(request.headers)].join(' '),
  );
  if (cut) return `it has a part of a secret (${cut[1]}), which is not stored`;
  if (!signed) return null;
  const isOther = signed.key === 'other' && otherPartner === undefined;
  if (isOther && signed.text !== null)
    return 'it was signed with another key on purpose, and that key is not stored';
  if (signed.text === null) return 'its signature was made up, and signatures are not stored';
  return null;
}

function historyObstacle(exchange: Exchange, run: FormerRun): string | null {
  const { part, connection, partnerId } = exchange;
  if (part?.counted) return 'its result depends on how many requests were sent before it';
  const before = run.before(exchange);
  if (connection !== undefined && before.some((one) => one.connection === connection))
    return 'it was sent on the connection of another request';
  const together = run.exchanges.find((one) => one !== exchange && areTogether(one, exchange));
  if (together) return `it was sent at once with ${together.id}`;
  const nostr = sentFields(exchange)?.['nostr'];
  const isUsual = typeof nostr === 'string' && /^[0-9a-z]{6}$/i.test(nostr);
  const same = before.find(
    (one) => one.partnerId === partnerId && isUsual && sentFields(one)?.['nostr'] === nostr,
  );
  return same ? `it repeats the nostr of ${same.id}, which was sent before it` : null;
}

/** Checks whether the same attempt of a check, or the same batch, sent two requests. */
function areOfOneSender({ part: one }: Exchange, { part: other }: Exchange): boolean {
  return one !== undefined && other !== undefined && isOf(one, other);
}

/** Checks whether two requests of a check were under way at the same time. */
function areTogether(one: Exchange, other: Exchange): boolean {
  if (!areOfOneSender(one, other)) return false;
  const [a, b] = [Date.parse(one.at), Date.parse(other.at)];
  // Times are stored in whole milliseconds.
  return a < b + other.durationMs - 1 && b < a + one.durationMs - 1;
}

function tokenObstacle(exchange: Exchange, run: FormerRun, movesClock: boolean): string | null {
  for (const pseudonym of pseudonymsIn(requestText(exchange))) {
    const kind = /^\[([a-z_]+) /.exec(pseudonym)?.[1];
    const why =
      kind === 'access_token'
        ? accessTokenObstacle(pseudonym, exchange, run, movesClock)
        : kind === 'refresh_token'
          ? refreshTokenObstacle(pseudonym, exchange, run, movesClock)
          : kind === 'auth_code'
            ? codeObstacle(pseudonym, exchange, run)
            : null;
    if (why !== null) return why;
  }
  return null;
}

function accessTokenObstacle(
  token: string,
  exchange: Exchange,
  run: FormerRun,
  movesClock: boolean,
): string | null {
  const origin = run.originOf(token, exchange);
  if (!origin) {
    const isOfProfile = run.targetOf(exchange)?.control === false && exchange.expects !== 'refused';
    return isOfProfile ? null : 'its access token was made up, and tokens are not stored';
  }
  const isOfUser = lineageOf(origin, run).at(-1) === 'authorization_code';
  const between = run.before(exchange).slice(run.exchanges.indexOf(origin) + 1);
  const refresh = pseudonymsIn(origin.response?.body ?? '').find((one) =>
    one.startsWith('[refresh_token '),
  );
  const refreshed = between.find(
    (one) => refresh !== undefined && (one.request.body ?? '').includes(refresh),
  );
  if (refreshed) return `its access token had been refreshed by ${refreshed.id}`;
  const newer = between.find(
    (one) =>
      one.partnerId === origin.partnerId &&
      one.response?.status === 200 &&
      (isOfUser
        ? isTokenRequest(one) && lineageOf(one, run).at(-1) === 'authorization_code'
        : isTokenRequest(one) && areOfOneSender(one, exchange)),
  );
  if (newer) return `a newer token had been issued by ${newer.id}`;
  const lifeMs = lifeMsOf(origin);
  const ageMs = sentMs(exchange) - sentMs(origin);
  if (lifeMs !== null && isAged(exchange, origin)) {
    const age = `its access token was ${Math.round(ageMs / 1000)} s old, of ${lifeMs / 1000} s that it is valid`;
    if (!movesClock) return `${age}; that needs a control API, which moves the clock`;
    // The clock is moved by whole seconds.
    if (Math.abs(ageMs - lifeMs) < LEAST_DISTANCE_MS) return `${age}: too near to its end`;
  }
  return originObstacle(origin, run, 'access token', movesClock);
}

function refreshTokenObstacle(
  token: string,
  exchange: Exchange,
  run: FormerRun,
  movesClock: boolean,
): string | null {
  const origin = run.originOf(token, exchange);
  if (!origin) return 'its refresh_token was made up, and tokens are not stored';
  const used = userOf(token, exchange, run);
  if (used) return `its refresh_token had been used before, by ${used.id}`;
  const ageMs = sentMs(exchange) - sentMs(origin);
  if (isAged(exchange, origin) && !movesClock)
    return `its refresh_token was ${Math.round(ageMs / 3_600_000)} h old; that needs a control API, which moves the clock`;
  return originObstacle(origin, run, 'refresh_token', movesClock);
}

function originObstacle(
  origin: Exchange,
  run: FormerRun,
  what: string,
  movesClock: boolean,
): string | null {
  if (origin.expects === 'refused')
    return `its ${what} came from ${origin.id}, which was a wrong request itself`;
  const inner = tokenObstacle(origin, run, movesClock);
  return inner === null ? null : `its ${what} came from ${origin.id}: ${inner}`;
}

function codeObstacle(code: string, exchange: Exchange, run: FormerRun): string | null {
  if (exchange.wrongCode) return 'its auth code was wrong on purpose, and codes are not stored';
  const used = userOf(code, exchange, run);
  return used ? `its auth code had been used before, by ${used.id}` : null;
}

/** Earlier request that used up a refresh_token or an auth code; a wrong one that was refused did not. */
function userOf(pseudonym: string, exchange: Exchange, run: FormerRun): Exchange | undefined {
  return run.before(exchange).find(({ request, response, expects }) => {
    const isRefused = response !== null && response.status !== 200 && expects === 'refused';
    return (request.body ?? '').includes(pseudonym) && !isRefused;
  });
}

/** Grants by which a token came about, the last one first. */
function lineageOf(origin: Exchange, run: FormerRun): readonly string[] {
  const grant = grantOf(origin);
  const token = pseudonymsIn(origin.request.body ?? '').find((one) =>
    one.startsWith('[refresh_token '),
  );
  const before = token === undefined ? null : run.originOf(token, origin);
  return before ? [grant, ...lineageOf(before, run)] : [grant];
}
