import { ConfigurationError } from '../interface/index.ts';
import { defaultPlacement, prepareEngine } from './engine/engine.ts';
import type { GeneratorReport } from './engine/generator-report.ts';
import { engineNotes } from './engine/notes.ts';
import type { LoadOptions } from './options.ts';
import type { LoadPlan } from './plan/plan.ts';
import { makePlan } from './plan/plan-load.ts';
import { validateLoad } from './plan/valid-load.ts';
import { buildResult } from './result/build.ts';
import type { LoadResult } from './result/load-result.ts';
import type { AccessToken } from './tokens/access-token.ts';
import { takeTokens } from './tokens/keeper.ts';
import { RunProgress } from './watch/progress.ts';
import { RunWatch } from './watch/run-watch.ts';
import { prepareRequests } from './workload/requests.ts';

/**
 * Puts load on a target and returns its run document, all but the tool.
 *
 * One token is taken before the run unless one is given. An aborted `signal` ends the run and what
 * was measured is returned, marked `interrupted`.
 *
 * @throws ConfigurationError for options that cannot be, before anything is sent
 * @throws FareproofError `TOKEN_REFUSED`, `TARGET_UNREACHABLE` or `TOKEN_ANSWER_MALFORMED`, and as
 *   the allowance where one is given
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { profile, clock, seed, routes } = options;
  const engine = options.engine ?? 'native';
  const { address, identity, mix } = await validateLoad(options);
  const tokens = options.tokens ?? (await takeTokens(options));
  const { partner } = tokens;
  const requests = prepareRequests({ profile, address, partner, identity, mix, seed, routes });
  const plan = makePlan(options, address, requests);
  await tokens.prepare(plan.warmupMs + plan.durationMs + plan.timeoutMs);
  if (engine === 'autocannon') refuseShortToken(tokens.current, plan, clock.now());

  const progress = new RunProgress(plan, clock);
  const generators = await prepareEngine({
    engine,
    plan,
    baseUrl: profile.baseUrl,
    accessToken: tokens.current.value,
    clock,
    events: (generator) => ({ onUpdate: (update) => progress.take(generator, update) }),
    placement: options.placement ?? defaultPlacement(),
  });
  const startedAtMs = clock.now();
  const startNs = clock.monotonicNs() + generators.leadNs;
  progress.begin(startNs);
  const watch = new RunWatch({ options, plan, progress, startNs });
  tokens.attach(generators);
  let reports: GeneratorReport[];
  try {
    reports = await generators.run(startNs, watch.ending);
  } finally {
    watch.stop();
    await tokens.detach();
  }
  for (const [generator, { record }] of reports.entries()) {
    progress.take(generator, { seconds: record.seconds, waiting: 0 });
  }
  const measuredMs = watch.measuredMs();
  return buildResult({
    options,
    plan,
    engine,
    reports,
    series: progress.finishSeries(measuredMs),
    startedAtMs,
    finishedAtMs: clock.now(),
    measuredMs,
    interrupted: options.signal?.aborted ?? false,
    abortedOn: watch.abortedOn,
    server: await watch.serverHealth(),
    workload: {
      identity,
      partnerId: partner.id,
      mix: Object.fromEntries(mix),
      requests: requests.length,
    },
    notes: [...tokens.notes, ...engineNotes(reports)],
  });
}

/** Requests made ready once cannot take a new token into them, as autocannon holds them. */
function refuseShortToken(token: AccessToken, plan: LoadPlan, nowMs: number): void {
  const needsMs = plan.warmupMs + plan.durationMs + plan.timeoutMs;
  if (token.expiresAtMs === null || token.expiresAtMs - nowMs > needsMs) return;
  throw new ConfigurationError(
    'TOKEN_TOO_SHORT',
    `The token lives for ${Math.round((token.expiresAtMs - nowMs) / 1000)} s, and the run takes up to ${Math.ceil(needsMs / 1000)} s; shorten --duration, or use --engine native, which refreshes it.`,
  );
}
