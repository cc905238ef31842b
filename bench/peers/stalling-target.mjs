import { startTarget } from '../load/targets.mjs';

const STALL_MS = 200;
const PERIOD_MS = 1000;

/**
 * Starts a target that stalls for a fifth of each second, and says what that means for requests that
 * are planned evenly: one planned within a stall waits for its end, any other is answered at once.
 */
export async function startStallingTarget() {
  const target = await startTarget('stalls');
  // Of all requests a fifth waits, evenly between 200 ms and none.
  const impliedMs = (/** @type {number} */ quantile) =>
    Math.max(0, STALL_MS - (1 - quantile) * PERIOD_MS);
  const implied = { p50: impliedMs(0.5), p90: impliedMs(0.9), p99: impliedMs(0.99) };
  return { port: target.port, stop: target.stop, implied };
}
