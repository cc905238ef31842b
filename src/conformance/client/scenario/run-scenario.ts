import type { SeededRandom } from '../../seeded-random.ts';
import type { CapturedExchange, CapturedRequest } from '../traffic/captured.ts';
import type { ScenarioFrame } from '../traffic/traffic.ts';
import { FaultInjector } from './fault-injector.ts';
import { issueElsewhere } from './issue-elsewhere.ts';
import { kindOfStimulus, type Scenario, waitsFor } from './scenario.ts';

/** A partner of the reference server, as a client is given it. */
export interface ScenarioPartner {
  readonly id: string;
  readonly signingKey: string;
  readonly use: 'general';
  readonly authCodes: readonly string[];
}

/** Starts the reference server; given from outside, the checker knows no server. */
export type StartReference = (options: {
  readonly interceptor: FaultInjector;
  readonly partners: readonly ScenarioPartner[];
  readonly expiresInSeconds: number;
}) => Promise<{ readonly baseUrl: string; close(graceMs?: number): Promise<void> }>;

/** What a client is told, as environment variables (`fareproof certify --help`). */
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

/** How a client's run ended. */
export interface ClientEnd {
  readonly exitCode: number | null;
  readonly ended: ScenarioFrame['ended'];
  /** What it wrote, secrets in it. */
  readonly output: string;
}

/** Runs a client to its end, or ends it after the time limit, or when the signal aborts. */
export type RunClient = (
  environment: ClientEnvironment,
  timeLimitMs: number,
  signal: AbortSignal | null,
) => Promise<ClientEnd>;

/** What a scenario left behind, not yet read. */
export interface ScenarioRun {
  readonly scenario: Scenario;
  readonly partner: ScenarioPartner;
  readonly baseUrl: string;
  readonly captured: readonly CapturedExchange[];
  /** For each stimulus, the request that met it. */
  readonly given: readonly (CapturedRequest | undefined)[];
  readonly end: ClientEnd;
  /** By the same clock as the server's, in milliseconds. */
  readonly endedMs: number;
}

/** A scenario that is under way. */
export interface RunningScenario {
  readonly name: string;
  readonly partner: ScenarioPartner;
  readonly baseUrl: string;
}

/** What a scenario runs with. */
export interface ScenarioSetting {
  readonly startReference: StartReference;
  readonly runClient: RunClient;
  readonly source: SeededRandom;
  /** The clock of the server, milliseconds since the epoch. */
  readonly now: () => number;
  /** Told of each exchange once it is over, secrets in it. */
  readonly onExchange?:
    | ((captured: CapturedExchange, running: RunningScenario) => void)
    | undefined;
  readonly signal: AbortSignal | null;
}

const GRACE_MS = 300;

/** Runs one client in one scenario, on a server and with a partner of its own. */
export async function runScenario(
  scenario: Scenario,
  { startReference, runClient, source, now, onExchange, signal }: ScenarioSetting,
): Promise<ScenarioRun> {
  const clientCode = `code-${source.text(12)}`;
  const reservedCode = `code-${source.text(12)}`;
  const partner: ScenarioPartner = {
    id: `partner-${scenario.name}`,
    signingKey: source.nostr(32),
    use: 'general',
    authCodes: [clientCode, reservedCode],
  };
  let baseUrl = '';
  const injector = new FaultInjector({
    script: {
      scenario,
      source,
      reservedCode,
      issueElsewhere: () => issueElsewhere(baseUrl, partner, reservedCode, source, now()),
    },
    onExchange:
      onExchange && ((captured) => onExchange(captured, { name: scenario.name, partner, baseUrl })),
  });
  const { expiresInSeconds, timeLimitMs } = scenario;
  const server = await startReference({
    interceptor: injector,
    partners: [partner],
    expiresInSeconds,
  });
  ({ baseUrl } = server);
  try {
    const environment: ClientEnvironment = {
      FAREPROOF_BASE_URL: baseUrl,
      FAREPROOF_PARTNER_ID: partner.id,
      FAREPROOF_SIGNING_KEY: partner.signingKey,
      FAREPROOF_AUTH_CODE: clientCode,
      FAREPROOF_SCENARIO: scenario.name,
      FAREPROOF_MODE: scenario.mode,
      FAREPROOF_ESTIMATES: String(scenario.estimates),
      FAREPROOF_INTERVAL_MS: String(scenario.intervalMs),
    };
    const end = await runClient(environment, timeLimitMs, signal);
    const endedMs = now();
    await server.close(GRACE_MS);
    const given = scenario.stimuli.map((_, index) => injector.givenTo(index));
    return { scenario, partner, baseUrl, captured: injector.captured, given, end, endedMs };
  } finally {
    await server.close(0);
  }
}

/** The frame in which a run is judged, its stimuli by the ids of their exchanges. */
export function frameOf(
  { scenario, given, end, endedMs }: Pick<ScenarioRun, 'scenario' | 'given' | 'end' | 'endedMs'>,
  idOf: (request: CapturedRequest) => string | null,
): ScenarioFrame {
  const { name, mode, estimates, atLeast, goesOnRule, mayOutlast, outlivesToken } = scenario;
  return {
    name,
    mode,
    estimates,
    atLeast,
    goesOnRule,
    mayOutlast,
    outlivesToken,
    ended: end.ended,
    endedMs,
    stimuli: scenario.stimuli.map((stimulus, index) => {
      const request = given[index];
      return {
        kind: kindOfStimulus(stimulus),
        waitsFor: waitsFor(stimulus),
        given: request === undefined ? null : idOf(request),
      };
    }),
  };
}
