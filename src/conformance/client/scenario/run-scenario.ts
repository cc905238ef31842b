import type { ScenarioFrame } from '../../../documents/scenario.ts';
import { TOKEN_PATH } from '../../../interface/limits.ts';
import { sign } from '../../../interface/signature.ts';
import type { StreamPiece } from '../../../redaction/index.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import { SeededRandom } from '../../seeded-random.ts';
import type { SteadyClock } from '../../steady-clock.ts';
import type { ExchangeCapture } from '../evidence/exchange-capture.ts';
import type { Stalls } from '../evidence/stall-watch.ts';
import type { CapturedExchange, CapturedRequest } from '../traffic/captured.ts';
import { GRACE_MS } from '../traffic/request-fields.ts';
import { type DrawnScenario, type DrawOptions, drawScenario } from './draw-scenario.ts';
import { FaultInjector } from './fault-injector.ts';
import { OtherOrigin } from './other-origin.ts';
import type { Scenario } from './scenario.ts';

/** Environment variables that tell a client what to do (`fareproof certify --help`). */
export type ClientEnvironment = Scenario['environment'] &
  Readonly<
    Record<
      | 'FAREPROOF_BASE_URL'
      | 'FAREPROOF_PARTNER_ID'
      | 'FAREPROOF_SIGNING_KEY'
      | 'FAREPROOF_AUTH_CODE'
      | 'FAREPROOF_SCENARIO'
      | 'FAREPROOF_MODE'
      | 'FAREPROOF_ESTIMATES'
      | 'FAREPROOF_INTERVAL_MS',
      string
    >
  >;

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
  readonly interceptor: ExchangeCapture;
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
export interface ScenariosOptions extends DrawOptions {
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
  /** Called at the start of each attempt. */
  readonly onStart?: ((name: string) => void) | undefined;
  /** Called at the end of each scenario. */
  readonly onScenario?: ((run: ScenarioRun) => void) | undefined;
  /** True for a run that this machine may have spoilt: it is repeated. */
  readonly isSpoilt?: ((run: ScenarioRun) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A scenario that was run, and the client's traffic in it. */
export interface ScenarioRun extends RunningScenario {
  readonly scenario: DrawnScenario;
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
 * Runs a client in each scenario, the longest first, or in the order of the seed. One that this machine spoilt is run again, at a slower
 * pace; from the first hold-up on, no two are run side by side.
 *
 * @returns the runs in the order of the scenarios and attempts, without those that an abort prevented
 */
export async function runScenarios(options: ScenariosOptions): Promise<ScenarioRun[]> {
  const { scenarios, seed, concurrency, isBlind, onScenario, signal } = options;
  const isSpoilt = options.isSpoilt ?? (() => false);
  const order = new SeededRandom(seed);
  const queue = scenarios
    .map((scenario, index) => {
      const rank = isBlind ? order.next() : -durationMs(scenario);
      return { scenario, index, rank, attempt: 1 };
    })
    .sort((a, b) => a.rank - b.rank);
  const runs: (readonly [index: number, run: ScenarioRun])[] = [];
  let isBusy = false;
  const work = async (_: unknown, worker: number): Promise<void> => {
    for (;;) {
      if (isBusy && worker > 0) return;
      const next = queue.shift();
      if (next === undefined || signal?.aborted) return;
      const { scenario, index, attempt, rank } = next;
      const source = new SeededRandom(seed + index * 7919 + (attempt - 1) * 104_729);
      const drawn = drawScenario(scenario, attempt, source, options);
      const run = await runScenario(drawn, attempt, source, options);
      isBusy ||= run.heldUpMs >= GRACE_MS;
      const isOver = attempt === MOST_ATTEMPTS || signal?.aborted === true;
      const isRepeated = !isOver && (run.clockStepMs !== undefined || isSpoilt(run));
      runs.push([index, { ...run, isRepeated }]);
      if (isRepeated) queue.push({ scenario, index, rank, attempt: attempt + 1 });
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

/** Time for open exchanges to end once the client has ended, ms. */
const CLOSING_MS = 300;

/** Runs a client in one scenario, on a server and with a partner of its own. */
async function runScenario(
  scenario: DrawnScenario,
  attempt: number,
  source: SeededRandom,
  options: ScenariosOptions,
): Promise<ScenarioRun> {
  const { startReference, now, machine, stalls, isBlind, onExchange, onStart } = options;
  const { name, mode, expiresInSeconds } = scenario;
  const id = isBlind ? source.text(10) : name;
  const clientCode = `code-${source.text(12)}`;
  const reservedCode = `code-${source.text(12)}`;
  const partner: ScenarioPartner = {
    id: `partner-${id}${attempt > 1 ? `-${attempt}` : ''}`,
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
  const pass = (exchange: CapturedExchange): void => {
    captured.push(exchange);
    onExchange?.(exchange, { name, partner, baseUrl });
  };
  const common = { partners: [partner], expiresInSeconds };
  const isRedirected = scenario.stimuli.some(
    ({ do: action }) => 'answer' in action && action.answer.redirects,
  );
  const elsewhere = new OtherOrigin({ scenario: name, ...(attempt > 1 && { attempt }) }, pass);
  const other = isRedirected ? await startReference({ ...common, interceptor: elsewhere }) : null;
  // Another name of this machine: to some clients, another port alone is the same origin.
  const otherOrigin = (other?.baseUrl ?? '').replace('127.0.0.1', 'localhost');
  const interceptor = new FaultInjector(
    { scenario, attempt, source, reservedCode, issueElsewhere, otherOrigin },
    pass,
    { delayAt: stalls?.delayAt, clock: machine },
  );
  const server = await startReference({ ...common, interceptor });
  ({ baseUrl } = server);
  try {
    const environment: ClientEnvironment = {
      FAREPROOF_BASE_URL: baseUrl,
      FAREPROOF_PARTNER_ID: partner.id,
      FAREPROOF_SIGNING_KEY: partner.signingKey,
      FAREPROOF_AUTH_CODE: clientCode,
      FAREPROOF_SCENARIO: id,
      FAREPROOF_MODE: mode,
      FAREPROOF_ESTIMATES: String(scenario.estimates),
      FAREPROOF_INTERVAL_MS: String(scenario.intervalMs),
      ...scenario.environment,
    };
    onStart?.(name);
    const startedMs = now();
    const sinceMs = machine?.now() ?? 0;
    const end = await runProcesses(scenario, environment, options);
    const endedMs = now();
    await Promise.all([server.close(CLOSING_MS), other?.close(CLOSING_MS)]);
    const given = scenario.stimuli.map((_, index) => interceptor.givenTo(index));
    const heldUpMs = stalls?.longestIn(startedMs, endedMs) ?? 0;
    const clockStepMs = machine?.steps.within(sinceMs)?.byMs;
    const times = { startedMs, endedMs, heldUpMs, clockStepMs };
    const own = { name, scenario, attempt, isRepeated: false, partner, baseUrl };
    return { ...own, captured, given, end, ...times };
  } finally {
    await Promise.all([server.close(0), other?.close(0)]);
  }
}

/** Runs the processes of a client, run after run; the end is that of the first that ended badly. */
async function runProcesses(
  { runs, processes, timeLimitMs }: DrawnScenario,
  environment: ClientEnvironment,
  { runClient, signal }: ScenariosOptions,
): Promise<ClientEnd> {
  const ends: ClientEnd[] = [];
  for (let run = 1; run <= runs && ends.every(({ ended }) => ended !== 'interrupted'); run++) {
    const one = () => runClient(environment, timeLimitMs, signal ?? null);
    ends.push(...(await Promise.all(Array.from({ length: processes }, one))));
  }
  const isGood = ({ exitCode, ended }: ClientEnd) => ended === 'by-itself' && exitCode === 0;
  const shown = ends.find((end) => !isGood(end)) ?? ends[0];
  return {
    exitCode: shown?.exitCode ?? null,
    ended: ends.find(({ ended }) => ended !== 'by-itself')?.ended ?? 'by-itself',
    output: ends.flatMap(({ output }) => output),
  };
}
