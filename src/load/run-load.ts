import { availableParallelism, cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tool } from '../documents/base.ts';
import type { LoadDocument, LoadSetDocument } from '../documents/load.ts';
import type { RunDocument } from '../documents/run-document.ts';
import { FareproofError } from '../interface/errors.ts';
import { allowanceIn, chosenLedger, startsAnew } from '../spending/index.ts';
import {
  type EngineRun,
  type GeneratorHandle,
  type GeneratorReport,
  type GeneratorUpdate,
  tokenUserOf,
} from './engine/engine.ts';
import { type LoadPart, rangeOf } from './load-part.ts';
import type { LoadOptions } from './options.ts';
import { longestMs, type PlannedLoad, planLoad, withSeed } from './plan-load.ts';
import { redactorFor, redactSample } from './record/fault-sample.ts';
import type { RunRecords } from './record/run-records.ts';
import { buildResult, type LoadResult } from './result/build.ts';
import { spreadOf } from './result/spread.ts';
import { type ReportedSeconds, storePart } from './result/stored-part.ts';
import { resultOfUnreachable, unreachableReasonOf } from './result/unreachable.ts';
import type { RunContext } from './run-context.ts';
import { TokenKeeper } from './tokens/keeper.ts';
import { RunProgress } from './watch/progress.ts';
import { RunWatch } from './watch/run-watch.ts';
import { prepareRequests } from './workload/requests.ts';

/** Generators pause for a record, so that it is asked for less often than a second is reported. */
const RECORD_EVERY_MS = 5000;

/** Lead of the start, so that every generator hears of it in time. */
const START_LEAD_NS = 30e6;

/** The start of a part is planned by the clock of the day when it is so far ahead. */
const LAST_WAIT_MS = 1000;

/**
 * Puts load on a target and returns its run document, all but the tool.
 *
 * One token is taken before the run.
 *
 * @throws ConfigurationError as planLoad, before anything is sent
 * @throws FareproofError `TOKEN_REFUSED`, `TARGET_UNREACHABLE` or `TOKEN_ANSWER_MALFORMED`, and as
 *   its ledger
 */
export async function runLoad(options: LoadOptions & RunContext): Promise<LoadResult> {
  const load = await planLoad(options);
  const { output } = load.context;
  output?.start?.('');
  const result = await runPlanned(load, await takeTokenFor(load));
  output?.end?.({ result });
  return result;
}

/** Takes the token of a load, for one or several runs; throws as {@link runLoad}. */
export function takeTokenFor({ context, plan, ...load }: PlannedLoad): Promise<TokenKeeper> {
  const ledger = chosenLedger(context.ledger);
  const { profile, clock, serviceRestarted } = context;
  const target = {
    baseUrl: profile.baseUrl,
    startsAnew: startsAnew(profile, serviceRestarted),
  };
  const allowance = ledger && allowanceIn(ledger, target, { now: () => clock.now(), sleep });
  return TokenKeeper.take({
    ...context,
    ...load,
    seed: plan.seed,
    address: plan.address,
    allowance,
  });
}

/**
 * Runs a planned load once, and gives samples of it to its output.
 *
 * @throws ConfigurationError `TOKEN_TOO_SHORT`, and as the engine, if it cannot prepare the run
 */
export async function runPlanned(load: PlannedLoad, tokens: TokenKeeper): Promise<LoadResult> {
  const { context, engine, plan, identity, mix, routes } = load;
  const { profile, clock, placement, agents, part, output } = context;
  const { partner } = tokens;
  const { address, seed } = plan;
  const requests = prepareRequests({ profile, address, partner, identity, mix, seed, routes });
  await tokens.prepare(longestMs(plan), engine);

  const firstToken = tokens.current.value;
  const progress = new RunProgress(plan, clock, agents && (() => agents.parts()));
  const range = part && rangeOf(part, plan);
  const seconds: ReportedSeconds[] = [];
  const take = (generator: number, update: GeneratorUpdate): void => {
    progress.take(generator, update);
    if (part !== undefined) seconds.push({ seconds: update.seconds, sample: update.sample });
  };
  let watch: RunWatch | null = null;
  const run: EngineRun = {
    plan,
    requests,
    accessToken: firstToken,
    clock,
    onUpdate: take,
    placement,
    range,
    recordEveryMs: output?.takesRecords ? RECORD_EVERY_MS : undefined,
  };
  const generators = await (agents?.prepare(run, engine.name, () => watch?.end()) ??
    engine.prepare(run));
  const leadNs = part && (await leadTo(part, load.context, generators));
  const startedAtMs = clock.now();
  const startNs = clock.monotonicNs() + (leadNs ?? agents?.startLeadNs ?? START_LEAD_NS);
  progress.startNs = startNs;
  const addSample = (): void => {
    if (output?.add === undefined) return;
    const records = output.takesRecords ? recordsOf(load, progress, startedAtMs) : null;
    void output.add({ target: profile, progress: progress.report(), records });
  };
  watch = new RunWatch({ load, progress, startNs, onSecond: addSample });
  if (engine.can.replacesTokens) tokens.attach(tokenUserOf(generators));
  let reports: GeneratorReport[];
  try {
    const running = generators.map((generator) => generator.run(startNs, watch.ending));
    reports = await Promise.all(running);
  } finally {
    watch.stop();
    // Where one has failed, the others must not send on.
    for (const generator of generators) generator.close();
    await tokens.detach();
  }
  for (const [index, { record }] of reports.entries()) {
    take((range?.from ?? 0) + index, { seconds: record.seconds, waiting: 0, record });
  }
  addSample();
  const redactor = redactorFor(profile, address);
  redactor.add('signing_key', partner.signingKey, partner.id);
  for (const token of [firstToken, tokens.current.value]) redactor.add('access_token', token);
  const measuredMs = watch.measuredMs();
  const requestCount = requests.length;
  const result = {
    machine: { cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism() },
    ...buildResult({
      // A part has no figures that the thresholds of the load bound.
      load: part === undefined ? load : { ...load, thresholds: [] },
      reports,
      agents: agents?.parts(),
      series: progress.finishSeries(measuredMs),
      startedAtMs,
      finishedAtMs: clock.now(),
      measuredMs,
      abortedOn: watch.abortedOn,
      server: await watch.serverHealth(),
      partnerId: partner.id,
      requestCount,
      notes: tokens.notes,
      redactor,
    }),
  };
  if (part === undefined) return result;
  const redacted = reports.map(({ faultSamples = [], ...report }) => ({
    ...report,
    faultSamples: faultSamples.map((sample) => redactSample(sample, redactor)),
  }));
  const measured = { load, partnerId: partner.id, requestCount, seconds, reports: redacted };
  return { ...result, part: storePart(part, measured) };
}

/**
 * Waits until a second before the start of a part.
 *
 * @returns the time that is left until then, nanoseconds
 * @throws FareproofError `START_PASSED`
 */
async function leadTo(
  { number, startAtMs }: LoadPart,
  { clock, signal }: Pick<PlannedLoad['context'], 'clock' | 'signal'>,
  generators: readonly GeneratorHandle[],
): Promise<number> {
  const waitMs = startAtMs - clock.now() - LAST_WAIT_MS;
  if (waitMs > 0)
    await sleep(waitMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
  const leadNs = (startAtMs - clock.now()) * 1e6;
  if (leadNs >= START_LEAD_NS) return leadNs;
  for (const generator of generators) generator.close();
  throw new FareproofError(
    'START_PASSED',
    `Part ${number} was ready after ${new Date(startAtMs).toISOString()}, when all parts were to start; give a later time to all of them.`,
  );
}

function recordsOf(
  { context, engine, mix }: PlannedLoad,
  progress: RunProgress,
  startedAtMs: number,
): RunRecords {
  return {
    startedAtMs,
    nowMs: context.clock.now(),
    plannedRate: progress.now().plannedRate,
    shapes: engine.can.tellsShapes ? [...mix.keys()] : [],
    generators: progress.generators(),
  };
}

/** Runs one after the other, with one token for each load. */
export class RunSeries {
  readonly #tool: Tool;
  readonly #tokens = new Map<PlannedLoad, TokenKeeper>();

  constructor(tool: Tool) {
    this.#tool = tool;
  }

  /**
   * Runs a load once, with its seed plus the index. Throws as runLoad, but for a target that cannot be
   * reached: that is an invalid run.
   */
  async run(load: PlannedLoad, index = 0, label = ''): Promise<LoadDocument> {
    const { output } = load.context;
    output?.start?.(label);
    const result = await this.#measure(load, withSeed(load, load.plan.seed + index));
    output?.end?.({ result });
    return { ...result, tool: this.#tool };
  }

  /** A target that gives no token is a result too: it could not be reached. */
  async #measure(load: PlannedLoad, seeded: PlannedLoad): Promise<LoadResult> {
    try {
      const tokens = this.#tokens.get(load) ?? (await takeTokenFor(load));
      this.#tokens.set(load, tokens);
      return await runPlanned(seeded, tokens);
    } catch (error) {
      const reason = unreachableReasonOf(error);
      if (reason === null) throw error;
      return resultOfUnreachable(seeded, reason);
    }
  }
}

/**
 * Runs the same load several times, each with its own requests; an aborted signal of the load ends
 * the series. Throws as runLoad.
 */
export async function runSet(
  load: PlannedLoad,
  { runs, tool }: { runs: number; tool: Tool },
): Promise<LoadSetDocument> {
  const { signal, clock } = load.context;
  const series = new RunSeries(tool);
  const documents: LoadDocument[] = [];
  for (let index = 0; index < runs; index++) {
    if (signal?.aborted) break;
    documents.push(await series.run(load, index, `run ${index + 1} of ${runs}`));
  }
  return {
    ...frameOf(documents, tool, clock.now()),
    kind: 'load-set',
    runs: documents,
    spread: spreadOf(documents),
  };
}

/** The fields of every document, for one that is made of others: from the first start to the last end. */
export function frameOf(
  documents: readonly Pick<RunDocument, 'startedAt' | 'finishedAt'>[],
  tool: Tool,
  nowMs: number,
): Pick<RunDocument, 'schemaVersion' | 'tool' | 'startedAt' | 'finishedAt'> {
  const now = new Date(nowMs).toISOString();
  const sorted = (of: 'startedAt' | 'finishedAt'): string[] =>
    documents.map((document) => document[of]).sort();
  return {
    schemaVersion: 1,
    tool,
    startedAt: sorted('startedAt')[0] ?? now,
    finishedAt: sorted('finishedAt').at(-1) ?? now,
  };
}
