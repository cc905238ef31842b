import { setTimeout as sleep } from 'node:timers/promises';
import { allowanceIn, chosenLedger, startsAnew } from '../spending/index.ts';
import { type EngineRun, type GeneratorReport, tokenUserOf } from './engine/engine.ts';
import type { LoadOptions } from './options.ts';
import { longestMs, type PlannedLoad, planLoad } from './plan-load.ts';
import { redactorFor } from './record/redact-text.ts';
import type { RunRecords } from './record/run-records.ts';
import { buildResult, type LoadResult } from './result/build.ts';
import type { LoadProgress, RunContext } from './run-context.ts';
import { TokenKeeper } from './tokens/keeper.ts';
import { RunProgress } from './watch/progress.ts';
import { RunWatch } from './watch/run-watch.ts';
import { prepareRequests } from './workload/requests.ts';

/** Generators pause for a record, so that it is asked for less often than a second is reported. */
const RECORD_EVERY_MS = 5000;

/** Lead of the start, so that every generator hears of it in time. */
const START_LEAD_NS = 30e6;

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
  return runPlanned(load, await takeTokenFor(load));
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
 * Runs a planned load once.
 *
 * @param onProgress in place of that of the context
 * @throws ConfigurationError `TOKEN_TOO_SHORT`, and as the engine, if it cannot prepare the run
 */
export async function runPlanned(
  load: PlannedLoad,
  tokens: TokenKeeper,
  onProgress?: (progress: LoadProgress) => void,
): Promise<LoadResult> {
  const { context, engine, plan, identity, mix, routes } = load;
  const { profile, clock, placement, agents, onRecords } = context;
  const { partner } = tokens;
  const { address, seed } = plan;
  const requests = prepareRequests({ profile, address, partner, identity, mix, seed, routes });
  await tokens.prepare(longestMs(plan), engine);

  const firstToken = tokens.current.value;
  const progress = new RunProgress(plan, clock, agents && (() => agents.parts()));
  let watch: RunWatch | null = null;
  const run: EngineRun = {
    plan,
    requests,
    accessToken: firstToken,
    clock,
    onUpdate: (generator, update) => progress.take(generator, update),
    placement,
    recordEveryMs: onRecords && RECORD_EVERY_MS,
  };
  const generators = await (agents?.prepare(run, engine.name, () => watch?.end()) ??
    engine.prepare(run));
  const startedAtMs = clock.now();
  const startNs = clock.monotonicNs() + (agents?.startLeadNs ?? START_LEAD_NS);
  progress.startNs = startNs;
  watch = new RunWatch({
    load,
    progress,
    startNs,
    onProgress,
    onRecords: onRecords && (() => onRecords(recordsOf(load, progress, startedAtMs))),
  });
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
  for (const [generator, { record }] of reports.entries()) {
    progress.take(generator, { seconds: record.seconds, waiting: 0, record });
  }
  onRecords?.(recordsOf(load, progress, startedAtMs));
  const redactor = redactorFor(profile, address);
  redactor.add('signing_key', partner.signingKey, partner.id);
  for (const token of [firstToken, tokens.current.value]) redactor.add('access_token', token);
  const measuredMs = watch.measuredMs();
  return buildResult({
    load,
    reports,
    agents: agents?.parts(),
    series: progress.finishSeries(measuredMs),
    startedAtMs,
    finishedAtMs: clock.now(),
    measuredMs,
    abortedOn: watch.abortedOn,
    server: await watch.serverHealth(),
    partnerId: partner.id,
    requestCount: requests.length,
    notes: tokens.notes,
    redactor,
  });
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
