import type { Exchange } from '../../../documents/exchange.ts';
import { sentMs } from '../../model/asked.ts';
import { isOf } from '../contract/part-of-run.ts';
import { TIME_FORMS } from '../contract/time-forms.ts';
import { anewOf, type FormerRun, isAged, lifeMsOf, type NewText } from './former-run.ts';

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
    recipeObstacle(exchange) ??
    historyObstacle(exchange, run) ??
    secretObstacle(exchange, run, movesClock)
  );
}

function recipeObstacle(exchange: Exchange): string | null {
  const { made, signed, otherPartner } = exchange;
  if (!made) return 'it has a secret, or a part of one, that is not stored';
  const form = anewOf(exchange).find((one) => one.form && !(one.form in TIME_FORMS));
  if (form) return `its time ${JSON.stringify(form.text)} is in a form that is not known`;
  if (!signed) return null;
  if (signed.text === null) return 'its signature was made up, and signatures are not stored';
  return signed.key === 'other' && otherPartner === undefined
    ? 'it was signed with another key on purpose, and that key is not stored'
    : null;
}

function historyObstacle(exchange: Exchange, run: FormerRun): string | null {
  const { part, connection, partnerId } = exchange;
  if (part?.counted) return 'its result depends on how many requests were sent before it';
  const before = run.before(exchange);
  if (connection !== undefined && before.some((one) => one.connection === connection))
    return 'it was sent on the connection of another request';
  const together = run.exchanges.find((one) => one !== exchange && areTogether(one, exchange));
  if (together) return `it was sent at once with ${together.id}`;
  const nostr = anewOf(exchange).find(({ is }) => is === 'nostr');
  const same = nostr && before.find((one) => one.partnerId === partnerId && has(one, nostr));
  return same ? `it repeats the nostr of ${same.id}, which was sent before it` : null;
}

function has(exchange: Exchange, { text }: NewText): boolean {
  return anewOf(exchange).some((one) => one.text === text);
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

const NAMES = {
  access_token: 'access token',
  refresh_token: 'refresh_token',
  auth_code: 'auth code',
} as const;

function secretObstacle(exchange: Exchange, run: FormerRun, movesClock: boolean): string | null {
  for (const one of anewOf(exchange)) {
    if (one.is === 'time' || one.is === 'nostr' || one.is === 'signature') continue;
    const name = NAMES[one.is];
    const origin = run.originOf(one, exchange);
    if (!origin && one.of === undefined)
      return `its ${name} was made up, and secrets are not stored`;
    const used = one.is === 'access_token' ? undefined : userOf(one, exchange, run);
    if (used) return `its ${name} had been used before, by ${used.id}`;
    if (!origin) continue;
    if (origin.expects === 'refused')
      return `its ${name} came from ${origin.id}, which was a wrong request itself`;
    const why =
      (one.is === 'access_token' ? successorObstacle(exchange, origin, run) : null) ??
      ageObstacle(one, exchange, origin, movesClock);
    if (why !== null) return why;
    const inner = recipeObstacle(origin) ?? secretObstacle(origin, run, movesClock);
    if (inner !== null) return `its ${name} came from ${origin.id}: ${inner}`;
  }
  return null;
}

/** Looks for a request that put another access token in the place of the one that an exchange has. */
function successorObstacle(exchange: Exchange, origin: Exchange, run: FormerRun): string | null {
  const between = run.before(exchange, origin);
  const refreshed = between.find((one) =>
    anewOf(one).some(
      ({ is, from }) => is === 'refresh_token' && from === origin.id && run.isTokenRequest(one),
    ),
  );
  if (refreshed) return `its access token had been refreshed by ${refreshed.id}`;
  const isOfUser = run.isOfUser(origin);
  const newer = between.find(
    (one) =>
      one.partnerId === origin.partnerId &&
      one.response?.status === 200 &&
      run.isTokenRequest(one) &&
      (isOfUser ? run.isOfUser(one) : areOfOneSender(one, exchange)),
  );
  return newer ? `a newer token had been issued by ${newer.id}` : null;
}

function ageObstacle(
  secret: NewText,
  exchange: Exchange,
  origin: Exchange,
  movesClock: boolean,
): string | null {
  if (!isAged(secret, exchange, origin)) return null;
  const ageMs = sentMs(exchange) - sentMs(origin);
  const isRefresh = secret.is === 'refresh_token';
  const lifeMs = lifeMsOf(origin) ?? 0;
  const age = isRefresh
    ? `its refresh_token was ${Math.round(ageMs / 3_600_000)} h old`
    : `its access token was ${Math.round(ageMs / 1000)} s old, of ${lifeMs / 1000} s that it is valid`;
  if (!movesClock) return `${age}; that needs a control API, which moves the clock`;
  // The clock is moved by whole seconds.
  const isNear = !isRefresh && Math.abs(ageMs - lifeMs) < LEAST_DISTANCE_MS;
  return isNear ? `${age}: too near to its end` : null;
}

/** Earlier request that used up a refresh_token or an auth code; a wrong one that was refused did not. */
function userOf(secret: NewText, exchange: Exchange, run: FormerRun): Exchange | undefined {
  return run.before(exchange).find((one) => {
    const { response, expects } = one;
    const isRefused = response !== null && response.status !== 200 && expects === 'refused';
    return has(one, secret) && !isRefused;
  });
}
