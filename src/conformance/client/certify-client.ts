import type { Diagnosis } from '../../documents/conformance.ts';
import { ALL_FIELDS } from '../signature/signing-context.ts';
import { ExchangeParser } from './evidence/exchange-parser.ts';
import type { ParsedExchange } from './evidence/exchange-record.ts';
import {
  type ClientResult,
  clientResult,
  type JudgedClient,
  judgeClient,
} from './judging/judge-client.ts';
import type { ClientRecord, Orders } from './judging/rule-result.ts';
import type { JudgedScenario } from './judging/scenario-result.ts';
import { runScenarios, type ScenarioRun, type ScenariosOptions } from './scenario/run-scenario.ts';
import { estimatesOf, kindOfStimulus, waitsFor } from './scenario/scenario.ts';
import type { CapturedExchange, CapturedRequest } from './traffic/captured.ts';
import { GRACE_MS } from './traffic/request-fields.ts';

/** Lines of a client's output that a report shows, and their length. */
const OUTPUT_LINES = 8;
const OUTPUT_LINE_CHARACTERS = 300;

const NOT_RUN = {
  attempt: 1,
  isRepeated: false,
  given: [],
  end: { exitCode: null, ended: 'interrupted', output: [] },
  heldUpMs: 0,
  clockStepMs: undefined,
} as const;

/** Options of {@link certifyClient}. */
export interface CertifyOptions extends Omit<ScenariosOptions, 'onScenario' | 'isSpoilt'> {
  /** The client's command, as reports show it. */
  readonly name: string;
  /** Declaration of whether the client orders rides for users. */
  readonly orders: Orders;
  /** Called at the end of each scenario, with its verdict so far. */
  readonly onScenario?: ((ended: ScenarioProgress) => void) | undefined;
}

/** A scenario that has ended. */
export interface ScenarioProgress extends Pick<JudgedScenario, 'name' | 'verdict'> {
  readonly durationMs: number;
}

/** A certification, with what the client wrote in each scenario, redacted. */
export interface Certification {
  readonly result: ClientResult;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Runs a client in each scenario and judges its requests. */
export async function certifyClient(options: CertifyOptions): Promise<Certification> {
  const { scenarios, onScenario, now, orders } = options;
  const dayMs = (): number => options.machine?.now() ?? now();
  const startedAt = new Date(dayMs()).toISOString();
  const runs = await runScenarios({
    ...options,
    onScenario: onScenario && ((run) => onScenario(progressOf(run, orders))),
    isSpoilt: (run) =>
      (run.heldUpMs >= GRACE_MS && progressOf(run, orders).verdict === 'inconclusive') ||
      (run.attempt === 1 && failsByHang(run, orders)),
  });
  const parser = parserFor(runs);
  // A client may show in one scenario what it learnt in another, which may have run before it.
  for (const captured of runs.flatMap(byArrival)) parser.learn(captured);
  const parsed = runs.map((run) => parseRun(run, parser));
  const notRun = scenarios.filter(({ name }) => runs.every((run) => run.name !== name));
  const records = [
    ...parsed.map(({ record }) => record),
    // An interruption prevented it: its rules are inconclusive.
    ...notRun.map((one) => {
      const mode = one.mode === 'user' ? one.mode : 'platform';
      const scenario = { ...one, mode, environment: {} } as const;
      return recordOf({ ...NOT_RUN, scenario, endedMs: now() }, [], new Map());
    }),
  ];
  const result = clientResult(records, orders, {
    target: { name: options.name, baseUrl: 'embedded', environment: 'production' },
    suite: scenarios.map(({ name }) => name).join(' '),
    seed: options.seed,
    startedAt,
    finishedAt: new Date(dayMs()).toISOString(),
    exchanges: parsed.flatMap(({ exchanges }) => exchanges),
    notes: notesOf(runs),
  });
  const outputs = Object.fromEntries(
    runs.map(({ name, end }) => [name, parser.redactPieces(end.output)]),
  );
  const shown = result.scenarios.map((one) => withOutput(one, outputs[one.name] ?? ''));
  const isInterrupted = options.signal?.aborted === true;
  const judged = { ...result, scenarios: shown, ...(isInterrupted && { interrupted: true }) };
  return { result: isInterrupted ? judged : diagnosedClient(judged), outputs };
}

/** Adds the last lines that a client wrote to a scenario that it did not pass. */
function withOutput(scenario: JudgedScenario, output: string): JudgedScenario {
  const { name, verdict } = scenario;
  const lines = output.trimEnd().split('\n').slice(-OUTPUT_LINES);
  if (verdict === 'pass' || verdict === 'warn' || output.trim() === '') return scenario;
  const cut = lines.map((line) => line.slice(0, OUTPUT_LINE_CHARACTERS));
  return { ...scenario, output: cut, log: `clients/${name}.log` };
}

/**
 * Adds the diagnosis of a client that sent no request in any scenario: it cannot be started, it failed
 * at its start, or it called another address.
 */
function diagnosedClient(result: ClientResult): ClientResult {
  const { scenarios } = result;
  const [first] = scenarios;
  if (first === undefined || result.exchanges.length > 0) return result;
  const last = first.output?.findLast((line) => /error|exception|not found/i.test(line));
  const words = last ?? first.output?.at(-1);
  const said = words === undefined ? 'It wrote nothing.' : `It wrote: ${words.trim()}`;
  const ended = first.exitCode == null ? '' : ` and ended with exit code ${first.exitCode}`;
  const diagnosis: Diagnosis = {
    finding: `The client sent no request in any scenario${ended}. ${said}`,
    remedy:
      'Run the command by itself. It must call the address in FAREPROOF_BASE_URL, which is another one in each scenario.',
    isWhole: true,
  };
  return { ...result, diagnosis };
}

function parserFor(runs: readonly ScenarioRun[], explainsSignatures = true): ExchangeParser {
  const key = ({ name, attempt = 1 }: { name: string | null; attempt?: number | undefined }) =>
    `${name} ${attempt}`;
  const baseUrls = new Map(runs.map((run) => [key(run), run.baseUrl]));
  return new ExchangeParser({
    partners: runs.map(({ partner }) => partner),
    baseUrlOf: ({ scenario: name, attempt }) => baseUrls.get(key({ name, attempt })) ?? '',
    signedFields: ALL_FIELDS,
    explainsSignatures,
  });
}

/** The exchanges of a run in the order of their requests. */
function byArrival({ captured }: ScenarioRun): CapturedExchange[] {
  return captured.toSorted((a, b) => a.request.receivedMs - b.request.receivedMs);
}

function parseRun(
  run: ScenarioRun,
  parser: ExchangeParser,
): { record: ClientRecord; exchanges: readonly ParsedExchange[] } {
  const ordered = byArrival(run);
  const exchanges = ordered.map((captured) => parser.parse(captured));
  const ids = new Map(ordered.map(({ request }, at) => [request, exchanges[at]?.id ?? '']));
  return { record: recordOf(run, exchanges, ids), exchanges };
}

/** @param ids ids of the exchanges, by request */
function recordOf(
  run: Pick<ScenarioRun, 'scenario' | 'endedMs' | keyof typeof NOT_RUN>,
  exchanges: readonly ParsedExchange[],
  ids: ReadonlyMap<CapturedRequest | undefined, string>,
): ClientRecord {
  const { scenario, attempt, isRepeated, given, end, endedMs, clockStepMs } = run;
  const { name, mode, intervalMs, environment, atLeast, goesOnRule, mayOutlast } = scenario;
  const { runs, processes, lacks } = scenario;
  const stimuli = scenario.stimuli.map((stimulus, index) => ({
    kind: kindOfStimulus(stimulus),
    on: stimulus.on,
    waitsFor: waitsFor(stimulus),
    given: ids.get(given[index]) ?? null,
  }));
  return {
    frame: {
      name,
      mode,
      estimates: estimatesOf(scenario),
      intervalMs,
      ...(runs > 1 && { runs }),
      ...(processes > 1 && { processes }),
      ...(Object.keys(environment).length > 0 && { environment }),
      ...(lacks !== undefined && { lacks }),
      atLeast,
      goesOnRule,
      mayOutlast,
      ...(attempt > 1 && { attempt }),
      ended: end.ended,
      endedMs,
      heldUpMs: Math.round(run.heldUpMs),
      ...(clockStepMs !== undefined && { clockStepMs }),
      stimuli,
    },
    judges: scenario.judges,
    exitCode: end.exitCode,
    complete: true,
    isRepeated,
    requests: exchanges.map(({ observed }) => observed),
  };
}

/**
 * Judges one scenario by itself; the certification judges all of them together. It must be quick:
 * the servers of other scenarios run in the same thread.
 */
function progressOf(run: ScenarioRun, orders: Orders): ScenarioProgress {
  const { scenarios } = judgeQuickly(run, orders);
  const verdict = scenarios[0]?.verdict ?? 'inconclusive';
  return { name: run.name, verdict, durationMs: Math.max(0, run.endedMs - run.startedMs) };
}

/**
 * True if nothing but a hang fails a scenario. A client that was suspended looks alike: twice in a row it is the
 * client's own.
 */
function failsByHang(run: ScenarioRun, orders: Orders): boolean {
  if (run.end.ended !== 'time-limit' || progressOf(run, orders).verdict !== 'fail') return false;
  const { rules } = judgeQuickly({ ...run, isRepeated: true }, orders);
  return rules.every(({ verdict }) => verdict !== 'fail');
}

function judgeQuickly(run: ScenarioRun, orders: Orders): JudgedClient {
  return judgeClient([parseRun(run, parserFor([run], false)).record], orders);
}

/** Notes on how clients ended, with all scenarios that ended alike in one. */
function endNotes(failed: readonly ScenarioRun[]): string[] {
  const names = new Map<string, Set<string>>();
  for (const { name, end } of failed) {
    const how = end.exitCode === null ? 'a signal' : `exit code ${end.exitCode}`;
    names.set(how, (names.get(how) ?? new Set()).add(name));
  }
  return Array.from(names, ([how, scenarios]) => {
    return `In ${[...scenarios].join(', ')} the client ended with ${how}.`;
  });
}

function notesOf(runs: readonly ScenarioRun[]): string[] {
  const failed = runs.filter(({ end }) => end.exitCode !== 0 && end.ended === 'by-itself');
  const terminated = runs.filter(
    ({ end, scenario }) => end.ended === 'time-limit' && !scenario.mayOutlast,
  );
  return [
    "The client and the reference server use this machine's clock.",
    ...endNotes(failed),
    ...runs
      .filter(({ heldUpMs }) => heldUpMs >= GRACE_MS)
      .map(
        ({ name, heldUpMs, isRepeated }) =>
          `In ${name} this machine held up the server for ${Math.round(heldUpMs)} ms${isRepeated ? '; it was run again' : ''}.`,
      ),
    ...terminated.map(
      ({ name, scenario, isRepeated }) =>
        `In ${name} the client was terminated after ${scenario.timeLimitMs / 1000} s${isRepeated ? '; it was run again' : ''}.`,
    ),
  ];
}
