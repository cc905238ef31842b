import { certifyClient } from '../../src/conformance/client/certify-client.ts';
import type { ClientResult } from '../../src/conformance/client/judging/judge-client.ts';
import type { Orders } from '../../src/conformance/client/judging/rule-result.ts';
import type {
  RunClient,
  StartReference,
} from '../../src/conformance/client/scenario/run-scenario.ts';
import type { Scenario } from '../../src/conformance/client/scenario/scenario.ts';
import { startServer } from '../../src/server/index.ts';
import { oneByOne } from '../conformance/client/reference.ts';
import type { Deviation, Surroundings } from './habits.ts';
import { OutsideClient } from './outside-client.ts';

const NOON = Date.UTC(2026, 2, 2, 12);

/** A clock that moves on only while every worker of the client sleeps. */
class SteppedClock {
  #nowMs = NOON;
  #awake = 0;
  readonly #sleepers: { readonly untilMs: number; readonly wake: () => void }[] = [];
  readonly now = (): number => this.#nowMs;

  readonly enter = (): void => {
    this.#awake++;
  };

  readonly leave = (): void => {
    this.#awake--;
    this.#advance();
  };

  readonly sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      this.#sleepers.push({ untilMs: this.#nowMs + ms, wake });
      this.#awake--;
      this.#advance();
    });

  #advance(): void {
    if (this.#awake > 0) return;
    const next = this.#sleepers.sort((a, b) => a.untilMs - b.untilMs).shift();
    if (next === undefined) return;
    this.#nowMs = Math.max(this.#nowMs, next.untilMs);
    this.#awake++;
    next.wake();
  }
}

/** On a busy machine, a client may take long to send a request: only a hang ends a connection. */
const PATIENT = { headMs: 600_000, requestMs: 600_000, idleMs: 600_000 };

/** Slow answers are slow in real time: as short as a client allows that waits for any of them. */
const HASTENED_DELAY_MS = 30;

function hastened(scenario: Scenario): Scenario {
  const stimuli = scenario.stimuli.map((stimulus) =>
    'delayMs' in stimulus.do ? { ...stimulus, do: { delayMs: HASTENED_DELAY_MS } } : stimulus,
  );
  return { ...scenario, stimuli, refreshTakesMs: Math.min(scenario.refreshTakesMs, 5) };
}

/** Certifies an outside client on a clock of its own, scenario after scenario. */
export async function certifyOutside(
  deviation: Deviation,
  scenarios: readonly Scenario[],
  orders: Orders = 'yes',
  seed = 7,
): Promise<ClientResult> {
  const clock = new SteppedClock();
  const startReference: StartReference = (options) =>
    startServer({ ...options, clock: { now: clock.now }, timeouts: PATIENT });
  const { result } = await certifyClient({
    name: 'an outside client',
    scenarios: deviation.patienceMs === undefined ? scenarios.map(hastened) : scenarios,
    startReference,
    runClient: oneByOne(runner(deviation, clock, seed)),
    seed,
    now: clock.now,
    concurrency: 1,
    orders,
  });
  return result;
}

function runner(deviation: Deviation, clock: SteppedClock, seed: number): RunClient {
  let state = seed;
  const random = (): string => {
    let text = '';
    for (let at = 0; at < 6; at++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      text += 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'[(state >>> 8) % 56];
    }
    return text;
  };
  return async (environment, timeLimitMs) => {
    const endMs = clock.now() + timeLimitMs;
    const isOver = (): boolean => clock.now() >= endMs;
    const { now, enter, leave } = clock;
    const sleep = (ms: number): Promise<void> =>
      clock.sleep(Math.min(ms, Math.max(1, endMs - clock.now())));
    const surroundings: Surroundings = { now, enter, leave, sleep, random, isOver };
    const exitCode = await new OutsideClient(environment, deviation, surroundings).run();
    return { exitCode, ended: isOver() ? 'time-limit' : 'by-itself', output: [] };
  };
}
