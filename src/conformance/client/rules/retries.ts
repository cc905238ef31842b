import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { connectionsAtOnce } from '../traffic/concurrency.ts';
import { GRACE_MS, knewAnswer } from '../traffic/request-fields.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { CheckOutcome, Violation } from './check.ts';

/** Requests that may follow a failure within {@link PACE_MS}, of each thread. */
const MOST_RETRIES = 3;
const PACE_MS = 1000;
/** Threads that a client may have that has not opened connections for all of them yet. */
const MOST_THREADS = 4;

/** The pace of requests after a failure (interface.md, "Errors"). */
export function judgePace(traffic: Traffic): CheckOutcome {
  const failures = [traffic.tokenRequests, traffic.estimates].flatMap((ofKind) =>
    ofKind
      .filter(({ answer }) => !answer.whole || answer.status !== 200)
      .map((failed) => ({ failed, later: ofKind.slice(ofKind.indexOf(failed) + 1) })),
  );
  const violations = failures.flatMap(
    ({ failed, later }): Violation | [] =>
      tooEarly(traffic, failed, later) ?? tooMany(traffic, failed, later) ?? [],
  );
  return {
    violations,
    judged: failures.map(({ failed }) => failed.id),
    passed: 'the client pauses after a failure',
    missing: 'no request failed',
  };
}

/** True if a client was asked for estimates so far apart that others within a second are retries. */
function isSlow({ scenario }: Traffic): boolean {
  return (scenario?.intervalMs ?? 0) > PACE_MS;
}

/** Time for which this machine held up the server at most, ms. */
const heldUpMsIn = ({ scenario }: Traffic): number => scenario?.heldUpMs ?? 0;

/** Requests after a failure that threads may have sent which did not know of it. */
function untold({ requests, scenario }: Traffic, failed: ParsedRequest): number {
  const before = requests.slice(0, requests.indexOf(failed) + 1);
  const connections = connectionsAtOnce({ requests: before });
  return Math.max(MOST_THREADS, connections, scenario?.processes ?? 1) - 1;
}

/** A request before the time of a Retry-After; null for none, and for no more than other threads may have sent. */
function tooEarly(
  traffic: Traffic,
  failed: ParsedRequest,
  later: readonly ParsedRequest[],
): Violation | null {
  const { answer, finishedMs } = failed;
  if (answer.retryAfterS === undefined || finishedMs === null) return null;
  const dueMs = finishedMs + answer.retryAfterS * 1000 - GRACE_MS;
  const soon = later.filter(({ receivedMs }) => receivedMs < dueMs);
  const told = soon.filter((one) => one.overlaps === false && knewAnswer(one, failed));
  const [early] = [...told, ...(isSlow(traffic) ? soon.slice(untold(traffic, failed)) : [])];
  if (early === undefined) return null;
  // A server that is held up takes an answer for sent later than the client has it.
  const mayBeChance = early.receivedMs >= dueMs - heldUpMsIn(traffic);
  return {
    exchange: early.id,
    related: [failed.id],
    expected: `a pause of the ${answer.retryAfterS} s of Retry-After`,
    got: `another ${early.kind} request ${Math.round(early.receivedMs - finishedMs)} ms after ${failed.id}, which was answered with ${answer.status} and Retry-After: ${answer.retryAfterS}`,
    ...(mayBeChance && { mayBeChance }),
  };
}

/** More requests than retries of each thread explain; null for no more, and where the pace may be another. */
function tooMany(
  traffic: Traffic,
  failed: ParsedRequest,
  later: readonly ParsedRequest[],
): Violation | null {
  if (!isSlow(traffic)) return null;
  const endMs = failed.finishedMs ?? failed.receivedMs;
  const soon = later.filter(({ receivedMs }) => receivedMs <= endMs + PACE_MS);
  const isTold = soon.every(({ overlaps }) => overlaps === false);
  const threads = isTold ? (traffic.scenario?.processes ?? 1) : 1 + untold(traffic, failed);
  const [surplus] = soon.slice(MOST_RETRIES * threads);
  if (surplus === undefined) return null;
  const mayBeChance = surplus.receivedMs >= endMs + PACE_MS - heldUpMsIn(traffic);
  return {
    exchange: surplus.id,
    related: [failed.id],
    expected: `at most ${MOST_RETRIES} more ${failed.kind} requests within a second of a failure`,
    got: `${soon.length} ${failed.kind} requests within a second of the failure of ${failed.id}`,
    ...(mayBeChance && { mayBeChance }),
  };
}
