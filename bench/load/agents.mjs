// Agents as processes of this machine: how far apart they start, whether a request is lost between them,
// what they cost the controller, and how soon a loss is noticed.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  AgentPool,
  channelToChild,
  joinedOver,
  runLoad,
  systemClock,
} from '../../build/load/index.js';
import { profileOf, startTarget } from './targets.mjs';

const AGENT = fileURLToPath(
  new URL('../../build/cli/commands/load/agent-process.js', import.meta.url),
);

/** Requests a second of each agent: the cores are for the figures, not for the load. */
const RATE_PER_AGENT = 25;
const STARTS = 5;
const LOSSES = 20;
const NOTICED_MS = { SIGKILL: 500, SIGSTOP: 2000 };

/** @param {import('./figure.mjs').Context} context @returns {Promise<import('./figure.mjs').Row[]>} */
export async function measureAgents({ tiny, log }) {
  return [
    ...(await measureStarts(tiny ? 1 : STARTS, log)),
    await measureQuantiles(tiny ? 1 : 3, tiny ? 1000 : 10_000, log),
    await measureController(tiny ? 2000 : 10_000, log),
    await measureLosses('SIGKILL', tiny ? 2 : LOSSES, log),
    await measureLosses('SIGSTOP', tiny ? 1 : LOSSES, log),
  ];
}

/** @param {number} count */
async function openPool(count) {
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = [];
  const clock = systemClock();
  const pool = await AgentPool.open({
    count,
    workers: 1,
    onLost: 'stop',
    clock,
    joinTimeoutMs: 60_000,
    connect: (number, giveUp) => {
      const child = fork(AGENT, [`agent-${number}`], {
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      children.push(child);
      return joinedOver(channelToChild(child), giveUp);
    },
  });
  return { pool, children, clock };
}

/**
 * Four agents on a target that notes the first request of each connection, and counts all.
 *
 * @param {number} starts @param {(text: string) => void} log
 */
async function measureStarts(starts, log) {
  const agents = 4;
  const rate = agents * RATE_PER_AGENT;
  const { pool, clock } = await openPool(agents);
  /** @type {number[]} */
  const spreadsMs = [];
  const lost = [];
  try {
    for (let start = 0; start < starts; start++) {
      const target = await startTarget('arrivals');
      const profile = profileOf(target.port);
      const load = { profile, clock, seed: 1, agents: pool, rate, connections: agents };
      const { achieved } = await runLoad({
        ledger: 'none',
        ...load,
        duration: '2s',
        warmup: '0',
      });
      const counted = Math.max(...target.stalls.map(([, total]) => total));
      const firsts = target.stalls.flatMap(([atNs]) => (atNs > 0 ? atNs : [])).slice(0, agents);
      target.stop();
      // Generator n of the plan is due n-th; its connection is known by that order only.
      const dueMs = firsts.map((atNs, at) => atNs / 1e6 - (at * 1000) / rate);
      const spreadMs = Math.max(...dueMs) - Math.min(...dueMs);
      log(
        `start ${start + 1}: ${spreadMs.toFixed(2)} ms apart; ${achieved.sent} sent, ${counted} counted`,
      );
      spreadsMs.push(spreadMs);
      lost.push(Math.abs(achieved.sent - counted) + Math.abs(achieved.sent - achieved.planned));
    }
  } finally {
    pool.close();
  }
  const worstMs = Math.max(...spreadsMs);
  const different = lost.reduce((sum, count) => sum + count, 0);
  return [
    {
      figure: `start of four agents, the furthest apart of ${starts} runs`,
      asked: 'within 5 ms',
      measured: `${worstMs.toFixed(2)} ms`,
      held: worstMs <= 5,
    },
    {
      figure: 'requests that agents, controller and target count differently',
      asked: '0',
      measured: `${different}`,
      held: different === 0,
    },
  ];
}

/**
 * The same load by four agents and by one process, in turn, on a target whose times depend on the request
 * alone.
 *
 * @param {number} rounds @param {number} durationMs @param {(text: string) => void} log
 */
async function measureQuantiles(rounds, durationMs, log) {
  const target = await startTarget('simulated');
  const { pool, clock } = await openPool(4);
  /** @type {Record<'p50' | 'p90' | 'p99', number[]>} */
  const shifts = { p50: [], p90: [], p99: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      const duration = `${durationMs}ms`;
      const load = { profile: profileOf(target.port), clock, seed: 1, rate: 40, duration };
      const one = await runLoad({ ledger: 'none', ...load, workers: 1, warmup: '500ms' });
      // The types of the library do not have it.
      const onAgents = { agents: pool };
      const four = await runLoad({ ledger: 'none', ...load, ...onAgents, warmup: '500ms' });
      for (const name of /** @type {const} */ (['p50', 'p90', 'p99'])) {
        const shift = four.latencyUs.response[name] / one.latencyUs.response[name] - 1;
        log(
          `${name}: one process ${one.latencyUs.response[name]} us, off ${(100 * shift).toFixed(2)} %`,
        );
        shifts[name].push(shift);
      }
    }
  } finally {
    pool.close();
    target.stop();
  }
  const medians = Object.values(shifts).map(
    (all) => all.sort((a, b) => a - b)[all.length >> 1] ?? 0,
  );
  const most = Math.max(...medians.map(Math.abs));
  return {
    figure: `p50, p90 and p99 of four agents, off those of one process, median of ${rounds} rounds`,
    asked: 'one step of the histogram, 0.1 %',
    measured: medians.map((shift) => `${(100 * shift).toFixed(2)} %`).join(', '),
    held: most <= 0.001,
  };
}

/** @param {number} durationMs @param {(text: string) => void} log */
async function measureController(durationMs, log) {
  const agents = 16;
  const target = await startTarget('arrivals');
  const { pool, clock } = await openPool(agents);
  try {
    const load = { profile: profileOf(target.port), clock, seed: 1, agents: pool };
    const rate = agents * RATE_PER_AGENT;
    const [before, startedMs] = [process.cpuUsage(), performance.now()];
    const { achieved } = await runLoad({
      ledger: 'none',
      ...load,
      rate,
      duration: `${durationMs}ms`,
      warmup: '500ms',
    });
    const { user, system } = process.cpuUsage(before);
    const share = (user + system) / 1000 / (performance.now() - startedMs);
    log(`16 agents: ${achieved.sent} of ${achieved.planned} sent`);
    return {
      figure: 'CPU of the controller of 16 agents',
      asked: '< 5 % of a core',
      measured: `${(100 * share).toFixed(1)} %`,
      held: share < 0.05,
    };
  } finally {
    pool.close();
    target.stop();
  }
}

/**
 * @param {'SIGKILL' | 'SIGSTOP'} signal
 * @param {number} losses
 * @param {(text: string) => void} log
 */
async function measureLosses(signal, losses, log) {
  const mostMs = NOTICED_MS[signal];
  const target = await startTarget('arrivals');
  const { pool, children, clock } = await openPool(2);
  /** @type {number[]} */
  const noticedMs = [];
  try {
    for (let loss = 0; loss < losses; loss++) {
      const load = { profile: profileOf(target.port), clock, seed: 1, agents: pool };
      const running = runLoad({
        ledger: 'none',
        ...load,
        rate: 50,
        duration: '8s',
        warmup: '0',
      });
      await new Promise((resolve) => setTimeout(resolve, 1500 + 50 * loss));
      const atMs = performance.now();
      children.at(-1)?.kill(signal);
      const noticed = await new Promise((resolve) => {
        const watch = setInterval(() => {
          if (!pool.parts().some(({ lost }) => lost)) return;
          clearInterval(watch);
          resolve(performance.now() - atMs);
        }, 2);
      });
      const { verdict } = await running;
      log(`${signal} ${loss + 1}: noticed after ${noticed.toFixed(0)} ms, ${verdict}`);
      noticedMs.push(verdict === 'invalid' ? noticed : Number.POSITIVE_INFINITY);
    }
  } finally {
    pool.close();
    target.stop();
  }
  const inTime = noticedMs.filter((ms) => ms <= mostMs).length;
  return {
    figure: `${signal === 'SIGKILL' ? 'dead' : 'frozen'} agents noticed within ${mostMs} ms`,
    asked: `${losses} of ${losses}`,
    measured: `${inTime} of ${losses}, the last after ${Math.max(...noticedMs).toFixed(0)} ms`,
    held: inTime === losses,
  };
}
