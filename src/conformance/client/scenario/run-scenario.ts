import type { ScenarioFrame } from '../../../documents/scenario.ts';
import { TOKEN_PATH } from '../../../interface/limits.ts';
import { sign } from '../../../interface/signature.ts';
import type { StreamPiece } from '../../../redaction/index.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import { SeededRandom } from '../../seeded-random.ts';
import type { SteadyClock } from '../../steady-clock.ts';
import type { Stalls } from '../evidence/stall-watch.ts';
import type { CapturedExchange, CapturedRequest } from '../traffic/captured.ts';
import { GRACE_MS } from '../traffic/request-fields.ts';
import { FaultInjector } from './fault-injector.ts';
import type { Scenario } from './scenario.ts';

/** Environment variables that tell a client what to do (`fareproof certify --help`). */
export interface ClientEnvironment {
  readonly FAREPROOF_BASE_URL: string;
  readonly FAREPROOF_PARTNER_ID: string;
  readonly FAREPROOF_SIGNING_KEY: string;
  readonly FAREPROOF_AUTH_CODE: string;
  readonly FAREPROOF_SCENARIO: string;
  readonly FAREPROOF_MODE: string;
  readonly FAREPROOF_ESTIMATES: string;
  readonly FAREPROOF_INTERVAL_MS: string;
}

/** The end of a client's process. */
export interface ClientEnd {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly ended: ScenarioFrame['ended'];
  /** Pieces of standard output and error, in the order in which they came; not redacted. */
  readonly output: readonly StreamPiece[];
}

/** Runs a client to its end; terminates it at the time limit, or when the signal aborts. */
export type RunClient = (
  environment: ClientEnvironment,
  timeLimitMs: number,
  signal: AbortSignal | null,
) => Promise<ClientEnd>;

/** A partner of the reference server, as given to a client. */
export interface ScenarioPartner extends PartnerCredentials {
  readonly use: 'general';
  readonly authCodes: readonly string[];
}

/** Starts the reference server. Passed in: the checker does not import the server. */
export type StartReference = (options: {
  readonly interceptor: FaultInjector;
  readonly partners: readonly ScenarioPartner[];
  readonly expiresInSeconds: number;
}) => Promise<{ readonly baseUrl: string; close(graceMs?: number): Promise<void> }>;

/** A scenario in progress. */
export interface RunningScenario {
  readonly name: string;
  readonly partner: ScenarioPartner;
  readonly baseUrl: string;
}

/** Scenarios to run, with their server, client and clock. */
export interface ScenariosOptions {
  readonly scenarios: readonly Scenario[];
  readonly seed: number;
  /** Number of scenarios in parallel. */
  readonly concurrency: number;
  readonly startReference: StartReference;
  readonly runClient: RunClient;
  /** The server's clock, ms since the epoch. */
  readonly now: () => number;
  /** This machine's time; left out, its clock is not set. */
  readonly machine?: SteadyClock | undefined;
  /** None is known if it is left out. */
  readonly stalls?: Stalls | undefined;
  /** Called with each finished exchange; not redacted. */
  readonly onExchange?:
    | ((captured: CapturedExchange, running: RunningScenario) => void)
    | undefined;
  /** Called at the end of each scenario. */
  readonly onScenario?: ((run: ScenarioRun) => void) | undefined;
  /** True for a run that decides nothing because this machine held it up: it is repeated. */
  readonly isSpoilt?: ((run: ScenarioRun) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A scenario that was run, and the client's traffic in it. */
export interface ScenarioRun extends RunningScenario {
  readonly scenario: Scenario;
  /** Attempt of the scenario, from 1. */
  readonly attempt: number;
  /** True if another attempt followed. */
  readonly isRepeated: boolean;
  /** Server clock, ms since the epoch. */
  readonly startedMs: number;
  /** Server clock, ms since the epoch. */
  readonly endedMs: number;
  /** Longest time for which this process was held up. */
  readonly heldUpMs: number;
  /** Step of this machine's clock meanwhile, ms; undefined for none. */
  readonly clockStepMs: number | undefined;
  readonly end: ClientEnd;
  /** For each stimulus, the first request that it was given to. */
  readonly given: readonly (CapturedRequest | undefined)[];
  /** In the order in which the exchanges ended. */
  readonly captured: readonly CapturedExchange[];
}

/** Times that a scenario is run at most. */
const MOST_ATTEMPTS = 3;

/**
 * Runs a client in each scenario, the longest first. One that this machine spoilt is run again, at a slower
 * pace; from the first hold-up on, no two are run side by side.
 *
 * @returns the runs in the order of the scenarios and attempts, without those that an abort prevented
 */
export async function runScenarios(options: ScenariosOptions): Promise<ScenarioRun[]> {
  const { scenarios, seed, concurrency, onScenario, isSpoilt = () => false, signal } = options;
  const queue = scenarios
    .map((scenario, index) => ({ scenario, index, attempt: 1 }))
    .sort((a, b) => durationMs(b.scenario) - durationMs(a.scenario));
  const runs: (readonly [index: number, run: ScenarioRun])[] = [];
  let isBusy = false;
  const work = async (_: unknown, worker: number): Promise<void> => {
    while (worker === 0 || !isBusy) {
      const next = queue.shift();
      if (next === undefined || signal?.aborted) return;
      const { scenario, index, attempt } = next;
      const source = new SeededRandom(seed + index * 7919 + (attempt - 1) * 104_729);
      const run = await runScenario(slower(scenario, attempt), attempt, source, options);
      isBusy ||= run.heldUpMs >= GRACE_MS;
      const isOver = attempt === MOST_ATTEMPTS || signal?.aborted === true;
      const isRepeated = !isOver && (run.clockStepMs !== undefined || isSpoilt(run));
      runs.push([index, { ...run, isRepeated }]);
      if (isRepeated) queue.push({ scenario, index, attempt: attempt + 1 });
      else onScenario?.(run);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, work));
  // What was spoilt last, and what other workers left.
  await work(null, 0);
  return runs
    .sort(([a, one], [b, other]) => a - b || one.attempt - other.attempt)
    .map(([, run]) => run);
}

const durationMs = ({ estimates, intervalMs }: Scenario): number => estimates * intervalMs;

/** A scenario whose times are longer in each attempt, all alike. */
function slower(scenario: Scenario, attempt: number): Scenario {
  const { intervalMs, expiresInSeconds, timeLimitMs } = scenario;
  return {
    ...scenario,
    intervalMs: intervalMs * attempt,
    expiresInSeconds: expiresInSeconds * attempt,
    timeLimitMs: timeLimitMs * attempt,
  };
}

/** Time for open exchanges to end once the client has ended, ms. */
const CLOSING_MS = 300;

/** Runs a client in one scenario, on a server and with a partner of its own. */
async function runScenario(
  scenario: Scenario,
  attempt: number,
  source: SeededRandom,
  { startReference, runClient, now, machine, stalls, onExchange, signal }: ScenariosOptions,
): Promise<ScenarioRun> {
  const { name, mode, expiresInSeconds, timeLimitMs } = scenario;
  const clientCode = `code-${source.text(12)}`;
  const reservedCode = `code-${source.text(12)}`;
  const partner: ScenarioPartner = {
    id: `partner-${name}${attempt > 1 ? `-${attempt}` : ''}`,
    signingKey: source.nostr(32),
    use: 'general',
    authCodes: [clientCode, reservedCode],
  };
  let baseUrl = '';
  const captured: CapturedExchange[] = [];
  // As another system of the partner would, with an auth code of its own.
  const issueElsewhere = async (): Promise<void> => {
    const fields = {
      grant_type: 'authorization_code',
      auth_code: reservedCode,
      scope: 'public rides.read rides.request',
      _: new Date(now()).toISOString(),
      nostr: source.nostr(),
    };
    const Authorization = `Bearer ${partner.id}|${sign(fields, partner.signingKey)}`;
    await fetch(baseUrl + TOKEN_PATH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization },
      body: JSON.stringify(fields),
    });
  };
  const interceptor = new FaultInjector(
    { scenario, attempt, source, reservedCode, issueElsewhere },
    (exchange) => {
      captured.push(exchange);
      onExchange?.(exchange, { name, partner, baseUrl });
    },
    { delayAt: stalls?.delayAt, clock: machine },
  );
  const server = await startReference({ interceptor, partners: [partner], expiresInSeconds });
  ({ baseUrl } = server);
  try {
    const environment: ClientEnvironment = {
      FAREPROOF_BASE_URL: baseUrl,
      FAREPROOF_PARTNER_ID: partner.id,
      FAREPROOF_SIGNING_KEY: partner.signingKey,
      FAREPROOF_AUTH_CODE: clientCode,
      FAREPROOF_SCENARIO: name,
      FAREPROOF_MODE: mode,
      FAREPROOF_ESTIMATES: String(scenario.estimates),
      FAREPROOF_INTERVAL_MS: String(scenario.intervalMs),
    };
    const startedMs = now();
    const sinceMs = machine?.now() ?? 0;
    const end = await runClient(environment, timeLimitMs, signal ?? null);
    const endedMs = now();
    await server.close(CLOSING_MS);
    const given = scenario.stimuli.map((_, index) => interceptor.givenTo(index));
    const heldUpMs = stalls?.longestIn(startedMs, endedMs) ?? 0;
    const clockStepMs = machine?.steps.within(sinceMs)?.byMs;
    const times = { startedMs, endedMs, heldUpMs, clockStepMs };
    const own = { name, scenario, attempt, isRepeated: false, partner, baseUrl };
    return { ...own, captured, given, end, ...times };
  } finally {
    await server.close(0);
  }
}
