import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * @typedef {object} Measured figures of one round of one server
 * @property {number} cpuUs CPU time of the server for a request, user and system, in microseconds
 * @property {number} rate requests/s
 * @property {number} p50Us
 * @property {number} p99Us
 * @property {number} failed
 */

const CONNECTIONS = 64;
/** `USER_HZ`, which Linux fixes for all that it shows in /proc. */
const TICK_US = 10_000;

/** CPU time of these processes so far, user and system, in microseconds. @param {number[]} pids */
function cpuUs(pids) {
  let ticks = 0;
  for (const pid of pids) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold spaces; user and system time are fields 14 and 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_US;
}

/**
 * Puts load on a server with `wrk`.
 *
 * @param {{ origin: string, pids: number[], seconds: number, script: string, start: number, onCore: string[] }} load
 * @returns {Promise<Measured>}
 */
export async function measureLoad({ origin, pids, seconds, script, start, onCore }) {
  const wrk = ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script];
  const [program, ...args] = [...onCore, ...wrk, origin, '--', `${start}`];
  const before = cpuUs(pids);
  const { stdout } = await run(program ?? '', args);
  const spentUs = cpuUs(pids) - before;
  const result = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (result === undefined) throw new Error(`wrk said: ${stdout}`);
  const { requests, durationUs, p50Us, p99Us, failed } =
    /** @type {{ requests: number, durationUs: number, p50Us: number, p99Us: number, failed: number }} */ (
      JSON.parse(result)
    );
  return {
    cpuUs: spentUs / requests,
    rate: (requests * 1e6) / durationUs,
    p50Us,
    p99Us,
    failed,
  };
}
