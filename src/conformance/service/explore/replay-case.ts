import type { Exchange } from '../../../documents/exchange.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import { curlOf } from '../../curl.ts';
import { SeededRandom } from '../../seeded-random.ts';
import { SpendCounter } from '../budget/spend-counter.ts';
import { factsOf } from '../contract/target.ts';
import type { Walk } from '../contract/walk.ts';
import type { Transport } from '../http/message.ts';
import type { CheckServiceOptions } from '../options.ts';
import { Recording } from '../resume/recording.ts';
import { MACHINE_CLOCK, steadyRunClock } from '../run-clock.ts';
import { Evidence } from '../wire/evidence.ts';
import { RateLimiter } from '../wire/rate-limit.ts';
import { Stability } from '../wire/stability.ts';
import { TargetClient } from '../wire/target-client.ts';
import { playWalk } from './explore.ts';
import { openStage } from './stage.ts';
import { wordsOf } from './words.ts';

/** Outcome of a case that was played again. */
export interface CaseResult {
  /** Steps in words, the last with what came; empty where nothing was broken. */
  readonly words: readonly string[];
  /** Mistake of the service; null if it made none. */
  readonly reason: string | null;
  readonly exchanges: readonly Exchange[];
  /** The same requests as commands, secrets as `$VARIABLES`. */
  readonly script: readonly string[];
}

/** A case to play, and where. */
export interface CaseOptions
  extends Pick<CheckServiceOptions, 'target' | 'timeoutMs' | 'clock' | 'openTransport' | 'signal'> {
  readonly walk: Walk;
  readonly seed: number;
}

/**
 * Plays a case on fresh partners, and leaves the clock of the target as it was.
 *
 * @throws ConfigurationError `CONTROL_MISSING` for a target without a control API
 */
export async function playCaseBy(
  { send, pause }: Transport,
  options: CaseOptions,
): Promise<CaseResult> {
  const { target, walk, signal, seed } = options;
  if (target.control === undefined)
    throw new ConfigurationError(
      'CONTROL_MISSING',
      `${target.name}: a case is played by fresh partners, which a control API makes; the profile names none.`,
    );
  const clock = steadyRunClock(options.clock ?? MACHINE_CLOCK);
  const monotonic = (): number => clock.monotonicNs() / 1e6;
  const startedAtMs = clock.now();
  const client = new TargetClient({
    target,
    facts: factsOf(target, { metered: false, partners: 0, asked: () => true, waits: false }),
    evidence: new Evidence(),
    send,
    pause,
    rateLimit: new RateLimiter(null, monotonic, (forMs) => clock.sleep(forMs, signal)),
    random: new SeededRandom(seed),
    stability: new Stability(),
    spend: new SpendCounter(() => clock.now(), startedAtMs),
    recording: new Recording([], new Map()),
    runLog: null,
    machine: clock,
    monotonic,
    sleepUntil: (atMs) => clock.sleep(atMs - clock.now(), signal),
    signal,
  });
  try {
    const { surprise } = await playWalk(walk, await openStage(client, walk));
    const exchanges = client.evidence.exchanges.filter(({ partnerId }) => partnerId !== null);
    return {
      words: surprise ? wordsOf(walk, surprise) : [],
      reason: surprise?.reason ?? null,
      exchanges,
      script: exchanges.map(curlOf),
    };
  } finally {
    await client.clock.reset();
  }
}
