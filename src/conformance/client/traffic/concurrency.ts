import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { succeeded } from './request-fields.ts';
import type { Traffic } from './traffic.ts';

/** Time after an answer in which the next request of a queue follows on a connection, ms. */
const BACK_TO_BACK_MS = 20;

/**
 * True if a client prepares requests before it has the answers to earlier ones: requests overlap, or an
 * estimate follows a good one at once, as from a queue before a single connection.
 */
export function sendsAhead({ requests, estimates }: Traffic): boolean {
  if (requests.some(({ overlaps }) => overlaps === true)) return true;
  return estimates.some((estimate, at) => {
    const previous = estimates[at - 1];
    return previous !== undefined && succeeded(previous) && isBackToBack(previous, estimate);
  });
}

function isBackToBack({ finishedMs }: ParsedRequest, { receivedMs }: ParsedRequest): boolean {
  return finishedMs !== null && receivedMs - finishedMs <= BACK_TO_BACK_MS;
}

/** The most connections that were in use at once, each from its first request to its last answer. */
export function connectionsAtOnce({ requests }: Pick<Traffic, 'requests'>): number {
  const spans = new Map<number | undefined, { readonly fromMs: number; readonly toMs: number }>();
  for (const { connection, receivedMs, finishedMs } of requests) {
    const { fromMs } = spans.get(connection) ?? { fromMs: receivedMs };
    spans.set(connection, { fromMs, toMs: finishedMs ?? receivedMs });
  }
  const all = [...spans.values()];
  const openAt = (ms: number): number =>
    all.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs).length;
  return Math.max(0, ...all.map(({ fromMs }) => openAt(fromMs)));
}
