// Cost of a million live tokens: memory, time of a request, pauses while they expire.
//
//   npm run build && node --expose-gc bench/state.mjs [--tokens N]
//
// Works on the service's state in this process. Requests go to the fast path without sockets, so that
// only the state makes a difference.

import { createHistogram, performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { DEFAULT_BEHAVIOUR } from '../build/interface/index.js';
import { createState } from '../build/server/create-service.js';
import { MovableClock } from '../build/server/index.js';
import { Allowances, allowanceRules } from '../build/server/service/state/allowances.js';
import { FastConnection, FastPath } from '../build/server/speed/fast-path.js';
import { median } from './server/table.mjs';
import { LIFETIME_S, settingsOf } from './service-settings.mjs';
import { parametersOf, queryOf, requestOf } from './workloads.mjs';

const { values: options } = parseArgs({ options: { tokens: { type: 'string' } } });
const TOKENS = Number(options.tokens ?? 1_000_000);
const SPREAD = 10_000;
const NOON = Date.UTC(2026, 2, 2, 12);

const { gc } = globalThis;
if (gc === undefined) {
  console.error('run it as: node --expose-gc bench/state.mjs');
  process.exit(2);
}

/** Bytes in use after a garbage collection. */
function settledBytes() {
  for (let round = 0; round < 4; round++) gc?.();
  return { rss: process.memoryUsage.rss(), heap: process.memoryUsage().heapUsed };
}

/** @param {number} count @returns a state with that many tokens, and an even selection of them */
function makeState(count) {
  const clock = new MovableClock({ now: () => NOON });
  const settings = settingsOf(clock);
  const state = createState(settings);
  const partner = state.partners.add('bench', 'signing-key-of-bench', false);
  /** @type {string[]} */
  const kept = [];
  for (let index = 0; index < count; index++) {
    const request = { partner, userId: null, scope: 'public', refreshed: null };
    const { accessToken } = state.tokens.issue(request, NOON);
    if (index % Math.max(1, Math.floor(count / SPREAD)) === 0) kept.push(accessToken);
  }
  return { settings, state, partner, kept };
}

/** @param {string} name @param {Record<string, string | number>} figures */
function print(name, figures) {
  const text = Object.entries(figures).map(([key, value]) => `${key} ${value}`);
  console.log(`${name.padEnd(44)} ${text.join('  ')}`);
}

/**
 * Time of one request, in nanoseconds: each connection keeps its own token, or every request of one
 * connection has another token.
 *
 * @param {ReturnType<typeof makeState>} of @param {string[]} tokens @param {boolean} isAlternating
 */
function nsPerRequest({ state, settings }, tokens, isAlternating) {
  const path = new FastPath(state, settings);
  const chunks = tokens.map((token, index) =>
    Buffer.from(requestOf(queryOf(parametersOf(index)), `Bearer bench|${token}`)),
  );
  const shared = new FastConnection();
  const connections = chunks.map(() => (isAlternating ? shared : new FastConnection()));
  const count = 200_000;
  const pass = () => {
    const from = performance.now();
    for (let index = 0; index < count; index++) {
      const at = index % chunks.length;
      const answer = path.answer(connections[at] ?? shared, chunks[at] ?? Buffer.alloc(0));
      if (answer === null) throw new Error('not answered by the fast path');
    }
    return ((performance.now() - from) * 1e6) / count;
  };
  pass();
  return { pass };
}

/** Interleaves the cases, so that other load on the machine affects all equally. @param {Record<string, { pass(): number }>} cases */
function inTurns(cases) {
  /** @type {Record<string, number[]>} */
  const all = {};
  for (let round = 0; round < 9; round++) {
    for (const [name, one] of Object.entries(cases)) all[name] = [...(all[name] ?? []), one.pass()];
  }
  return Object.fromEntries(Object.entries(all).map(([name, values]) => [name, median(values)]));
}

function measureMemory() {
  makeState(1_000);
  const before = settledBytes();
  const many = makeState(TOKENS);
  const after = settledBytes();
  print(`${TOKENS} live tokens, with refresh_token`, {
    'RSS B/token': ((after.rss - before.rss) / TOKENS).toFixed(0),
    'heap B/token': ((after.heap - before.heap) / TOKENS).toFixed(0),
  });
  return many;
}

/** @param {ReturnType<typeof makeState>} many */
function measureRequests(many) {
  const one = makeState(1);
  const some = makeState(SPREAD);
  const single = (/** @type {typeof many} */ of) => nsPerRequest(of, of.kept.slice(0, 1), false);
  const ns = inTurns({
    one: single(one),
    oneOfMany: single(many),
    some: nsPerRequest(some, some.kept, false),
    someOfMany: nsPerRequest(many, many.kept, false),
    changing: nsPerRequest(some, some.kept, true),
    changingOfMany: nsPerRequest(many, many.kept, true),
  });
  const rows = [
    ['one token', 'one', 'oneOfMany'],
    [`${SPREAD} tokens, one per connection`, 'some', 'someOfMany'],
    [`${SPREAD} tokens, another per request`, 'changing', 'changingOfMany'],
  ];
  for (const [name = '', few = '', lots = ''] of rows) {
    const [fewNs = 0, manyNs = 0] = [ns[few], ns[lots]];
    print(`request: ${name}`, {
      'no others ns': fewNs.toFixed(0),
      [`of ${TOKENS} ns`]: manyNs.toFixed(0),
      change: `${((manyNs / fewNs - 1) * 100).toFixed(1)} %`,
    });
  }
}

/** @param {ReturnType<typeof makeState>} many */
function measureIds({ state, partner }) {
  const before = settledBytes();
  const from = performance.now();
  const count = 10_000_000;
  for (let index = 0; index < count; index++) state.estimateIds.issue(partner, index, NOON);
  const ns = ((performance.now() - from) * 1e6) / count;
  const after = settledBytes();
  print(`${count} estimate ids`, {
    'ns each': ns.toFixed(0),
    'heap growth B': after.heap - before.heap,
    'RSS growth KiB': ((after.rss - before.rss) / 1024).toFixed(0),
  });
}

/** Issues as many new tokens while all others expire. @param {ReturnType<typeof makeState>} many */
function measureEviction({ state, partner }) {
  const nowMs = NOON + (LIFETIME_S + 3_600) * 1000;
  const request = { partner, userId: null, scope: 'public', refreshed: null };
  const sizeBefore = state.tokens.sizes.access;
  const batch = 100;
  const histogram = createHistogram();
  for (let done = 0; done < TOKENS; done += batch) {
    const from = performance.now();
    for (let index = 0; index < batch; index++) state.tokens.issue(request, nowMs);
    histogram.record(Math.max(1, Math.round((performance.now() - from) * 1000)));
  }
  print(`${TOKENS} expire while as many are issued`, {
    'access tokens before': sizeBefore,
    after: state.tokens.sizes.access,
    [`us for ${batch}: p50`]: histogram.percentile(50),
    p99: histogram.percentile(99),
    'p99.9': histogram.percentile(99.9),
    max: histogram.max,
  });
}

function measureCounters() {
  const allowances = new Allowances(allowanceRules(DEFAULT_BEHAVIOUR));
  const spend = (/** @type {number} */ index, /** @type {number} */ nowMs) => {
    const partner = { id: `p-${index}`, signingKey: 'k', longLock: false, index };
    allowances.spend({ partner, kind: 'platform', userId: '' }, nowMs);
  };
  const before = settledBytes();
  const from = performance.now();
  for (let index = 0; index < TOKENS; index++) spend(index, NOON);
  const ns = ((performance.now() - from) * 1e6) / TOKENS;
  const after = settledBytes();
  print(`counters of ${TOKENS} partners`, {
    'RSS B each': ((after.rss - before.rss) / TOKENS).toFixed(0),
    'ns each': ns.toFixed(0),
  });
  const histogram = createHistogram();
  const laterMs = NOON + 3 * 86_400_000;
  for (let index = 0; index < TOKENS; index += 100) {
    const batchFrom = performance.now();
    for (let at = 0; at < 100; at++) spend(TOKENS + index + at, laterMs);
    histogram.record(Math.max(1, Math.round((performance.now() - batchFrom) * 1000)));
  }
  print('  three days later, as many new ones', {
    'us for 100: p50': histogram.percentile(50),
    p99: histogram.percentile(99),
    max: histogram.max,
  });
}

const many = measureMemory();
measureRequests(many);
measureIds(many);
measureEviction(many);
measureCounters();
