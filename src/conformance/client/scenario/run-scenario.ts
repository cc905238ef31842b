import type { SeededRandom } from '../../seeded-random.ts';
import type { CapturedExchange } from '../traffic/captured.ts';
import type { ClientEnvironment, RunClient } from './client-run.ts';
import { FaultInjector } from './fault-injector.ts';
import type { EndedScenario } from './frame.ts';
import { issueElsewhere } from './issue-elsewhere.ts';
import type { ScenarioPartner, StartReference } from './reference-server.ts';
import type { Scenario } from './scenario.ts';

/** A scenario in progress. */
export interface RunningScenario {
  readonly name: string;
  readonly partner: ScenarioPartner;
  readonly baseUrl: string;
}

/** Server, client and clock of a scenario. */
export interface ScenarioRunOptions {
  readonly startReference: StartReference;
  readonly runClient: RunClient;
  readonly source: SeededRandom;
  /** The server's clock, ms since the epoch. */
  readonly now: () => number;
  /** Called with each finished exchange; not redacted. */
  readonly onExchange?:
    | ((captured: CapturedExchange, running: RunningScenario) => void)
    | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A scenario that was run, and the client's traffic in it. */
export interface ScenarioRun extends EndedScenario {
  readonly partner: ScenarioPartner;
  readonly baseUrl: string;
  /** Server clock, ms since the epoch. */
  readonly startedMs: number;
  /** In the order in which the exchanges ended. */
  readonly captured: readonly CapturedExchange[];
}

/** Time for open exchanges to end once the client has ended, ms. */
const GRACE_MS = 300;

/** Runs a client in one scenario, on a server and with a partner of its own. */
export async function runScenario(
  scenario: Scenario,
  { startReference, runClient, source, now, onExchange, signal }: ScenarioRunOptions,
): Promise<ScenarioRun> {
  const { name, mode, expiresInSeconds, timeLimitMs } = scenario;
  const clientCode = `code-${source.text(12)}`;
  const reservedCode = `code-${source.text(12)}`;
  const partner: ScenarioPartner = {
    id: `partner-${name}`,
    signingKey: source.nostr(32),
    use: 'general',
    authCodes: [clientCode, reservedCode],
  };
  let baseUrl = '';
  const captured: CapturedExchange[] = [];
  const injector = new FaultInjector(
    {
      scenario,
      source,
      reservedCode,
      issueElsewhere: () => issueElsewhere(baseUrl, partner, reservedCode, source, now()),
    },
    (exchange) => {
      captured.push(exchange);
      onExchange?.(exchange, { name, partner, baseUrl });
    },
  );
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
      FAREPROOF_SCENARIO: name,
      FAREPROOF_MODE: mode,
      FAREPROOF_ESTIMATES: String(scenario.estimates),
      FAREPROOF_INTERVAL_MS: String(scenario.intervalMs),
    };
    const startedMs = now();
    const end = await runClient(environment, timeLimitMs, signal ?? null);
    const endedMs = now();
    await server.close(GRACE_MS);
    const given = scenario.stimuli.map((_, index) => injector.givenTo(index));
    return { scenario, partner, baseUrl, captured, given, end, startedMs, endedMs };
  } finally {
    await server.close(0);
  }
}
