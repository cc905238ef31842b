import type { Exchange } from '../exchange.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { RuleResult, Verdict } from '../verdict.ts';
import { ExchangeParser, type ParsedExchange } from './evidence/exchange-parser.ts';
import { type ClientRecord, judgeClient, overallVerdict, type ScenarioResult } from './judge.ts';
import {
  frameOf,
  type RunClient,
  type RunningScenario,
  runScenario,
  type ScenarioRun,
  type StartReference,
} from './scenario/run-scenario.ts';
import type { Scenario } from './scenario/scenario.ts';
import type { CapturedExchange, CapturedRequest } from './traffic/captured.ts';
import type { ParsedRequest } from './traffic/parsed-request.ts';
import { allowanceOf } from './traffic/traffic.ts';

/** How a client is certified. */
export interface CertifyOptions {
  /** The client's command, as it is shown. */
  readonly name: string;
  readonly scenarios: readonly Scenario[];
  readonly startReference: StartReference;
  readonly runClient: RunClient;
  readonly seed: number;
  /** The server's clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** Scenarios that run at the same time. */
  readonly atOnce: number;
  /** Told of each scenario that is over, by name. */
  readonly onScenario?: ((name: string) => void) | undefined;
  /** Told of each exchange once it is over, secrets in it; it is judged with all others at the end. */
  readonly onExchange?:
    | ((captured: CapturedExchange, running: RunningScenario) => void)
    | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A client, judged: the run document without what only the command line knows. */
export interface ClientResult {
  readonly kind: 'conformance';
  readonly side: 'client';
  readonly target: {
    readonly name: string;
    readonly baseUrl: string;
    readonly environment: string;
  };
  readonly suite: string;
  readonly seed: number;
  /** ISO 8601. */
  readonly startedAt: string;
  /** ISO 8601. */
  readonly finishedAt: string;
  readonly verdict: 'conformant' | 'not-conformant' | 'incomplete';
  readonly complete: boolean;
  readonly summary: Readonly<Record<Verdict, number>>;
  readonly rules: readonly RuleResult[];
  readonly gaps: readonly never[];
  readonly spend: Readonly<Record<string, { platform: number; user: number; refresh: number }>>;
  readonly exchanges: readonly (Exchange & { readonly observed: ParsedRequest })[];
  readonly scenarios: readonly ScenarioResult[];
  readonly notes: readonly string[];
  readonly interrupted?: true;
}

/** A certification, with what each client wrote, secrets redacted. */
export interface Certification {
  readonly result: ClientResult;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Runs a client in each scenario, and judges what it sent. */
export async function certifyClient(options: CertifyOptions): Promise<Certification> {
  const startedAt = new Date(options.now()).toISOString();
  const runs = await runAll(options);
  const partners = runs.map(({ partner }) => partner);
  const baseUrls = new Map(runs.map(({ scenario, baseUrl }) => [scenario.name, baseUrl]));
  const parser = new ExchangeParser({
    partners,
    baseUrlOf: (scenario) => baseUrls.get(scenario ?? '') ?? '',
    signedFields: { token: 'all', estimate: 'all' },
  });
  const read = runs.map((run) => readRun(run, parser));
  const begun = read.map(({ record }) => record);
  const records = [
    ...begun,
    ...options.scenarios
      .filter(({ name }) => !baseUrls.has(name))
      .map((scenario) => recordOfNone(scenario, options.now())),
  ];
  const judgement = judgeClient(records);
  const interrupted = options.signal?.aborted ?? false;
  const result: ClientResult = {
    kind: 'conformance',
    side: 'client',
    target: { name: options.name, baseUrl: 'embedded', environment: 'production' },
    suite: options.scenarios.map(({ name }) => name).join(' '),
    seed: options.seed,
    startedAt,
    finishedAt: new Date(options.now()).toISOString(),
    ...overallVerdict(judgement),
    rules: judgement.rules,
    gaps: [],
    spend: spendOf(records),
    exchanges: read.flatMap(({ parsed }) => parsed.map(({ exchange }) => exchange)),
    scenarios: judgement.scenarios,
    notes: notesOf(runs),
    ...(interrupted && { interrupted }),
  };
  const outputs = runs.map(({ scenario, end }) => [
    scenario.name,
    parser.redact(end.output, scenario.name),
  ]);
  return { result, outputs: Object.fromEntries(outputs) as Record<string, string> };
}

/** The longest first: they decide how long it all takes. */
async function runAll(options: CertifyOptions): Promise<ScenarioRun[]> {
  const waiting = options.scenarios
    .map((scenario, index) => ({ scenario, index }))
    .sort((a, b) => lengthOf(b.scenario) - lengthOf(a.scenario));
  const runs: (ScenarioRun | undefined)[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (options.signal?.aborted) return;
      const { scenario, index } = next;
      runs[index] = await runScenario(scenario, {
        ...options,
        signal: options.signal ?? null,
        source: new SeededRandom(options.seed + index * 7919),
      });
      options.onScenario?.(scenario.name);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.atOnce) }, work));
  return runs.filter((run) => run !== undefined);
}

const lengthOf = ({ estimates, intervalMs }: Scenario): number => estimates * intervalMs;

function readRun(
  run: ScenarioRun,
  parser: ExchangeParser,
): { record: ClientRecord; parsed: readonly ParsedExchange[] } {
  const ids = new Map<CapturedRequest, string>();
  const ordered = [...run.captured].sort((a, b) => a.request.receivedMs - b.request.receivedMs);
  const parsed = ordered.map((captured) => {
    const one = parser.read(captured);
    ids.set(captured.request, one.observed.id);
    return one;
  });
  const record: ClientRecord = {
    frame: frameOf(run, (request) => ids.get(request) ?? null),
    judges: run.scenario.judges,
    exitCode: run.end.exitCode,
    complete: true,
    observed: parsed.map(({ observed }) => observed),
  };
  return { record, parsed };
}

/** A scenario that an interruption left no time for: what it would have judged is inconclusive. */
function recordOfNone(scenario: Scenario, endedMs: number): ClientRecord {
  const end = { exitCode: null, ended: 'interrupted', output: '' } as const;
  const frame = frameOf({ scenario, given: [], end, endedMs }, () => null);
  return { frame, judges: scenario.judges, exitCode: null, complete: true, observed: [] };
}

/** Token requests of the client's own, by partner and allowance. */
export function spendOf(records: readonly ClientRecord[]): ClientResult['spend'] {
  const spend: Record<string, { platform: number; user: number; refresh: number }> = {};
  for (const request of records.flatMap(({ observed }) => observed)) {
    const { partnerId } = request.authorization;
    const kind = request.kind === 'token' ? allowanceOf(request) : null;
    if (kind === null || partnerId === null || request.sender !== 'client') continue;
    spend[partnerId] ??= { platform: 0, user: 0, refresh: 0 };
    spend[partnerId][kind]++;
  }
  return spend;
}

function notesOf(runs: readonly ScenarioRun[]): string[] {
  const failed = runs.filter(({ end }) => end.exitCode !== 0 && end.ended === 'by-itself');
  const ended = runs.filter(({ end }) => end.ended === 'time-limit');
  return [
    'The clock is that of this machine, for the client and for the reference server.',
    ...failed.map(
      ({ scenario, end }) =>
        `In ${scenario.name} the client ended with ${end.exitCode === null ? 'a signal' : `exit code ${end.exitCode}`}.`,
    ),
    ...ended.map(
      ({ scenario }) =>
        `In ${scenario.name} the client was ended after ${scenario.timeLimitMs / 1000} s.`,
    ),
  ];
}
