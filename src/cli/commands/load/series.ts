import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadOptions, LoadResult, TokenKeeper } from '../../../load/index.ts';
import type { LivePage, LoadDocument } from '../../../report/index.ts';
import type { Io } from '../../io.ts';
import { exitCodeOfComparison, exitCodeOfLoad } from '../../output/exit-codes.ts';
import { TOOL } from '../../tool.ts';
import type { LoadFlags, LoadSettings } from './flags.ts';
import type { LoadTarget } from './target.ts';
import { deliverWatched, LoadWatch } from './watch.ts';

/** What a load is run with, beside its settings. */
export interface LoadSession {
  readonly flags: LoadFlags;
  readonly signal: AbortSignal;
  /** The live page; null where none was asked for. */
  readonly page: LivePage | null;
  readonly io: Io;
}

/** The options of a load on that target. */
export async function loadOptions(
  settings: LoadSettings,
  { profile, probe, allowance }: LoadTarget,
  signal: AbortSignal,
): Promise<LoadOptions> {
  const { systemClock } = await import('../../../load/index.ts');
  return {
    ...settings.options,
    profile,
    clock: systemClock(),
    signal,
    ...(probe && { probeServer: probe }),
    ...(allowance && { allowance }),
  };
}

/** Runs the same load several times; the document is the list, and each run's is a file beside it. */
export async function runSet(
  settings: LoadSettings,
  target: LoadTarget,
  { flags, signal, page, io }: LoadSession,
): Promise<void> {
  const runs = await recordRuns(settings, target, signal, io, page);
  const folder = await deliverWatched(
    { ...frameOf(runs), kind: 'load-set', runs, tool: TOOL },
    flags,
    page,
    io,
  );
  await writeRuns(folder, 'run', runs);
  io.exit(exitCodeOfLoad(runs));
}

/** Runs the same load several times, each with requests of its own. */
export async function recordRuns(
  settings: LoadSettings,
  target: LoadTarget,
  signal: AbortSignal,
  io: Io,
  page: LivePage | null = null,
): Promise<LoadDocument[]> {
  const series = new Series(settings, { signal, page, io });
  const runs: LoadDocument[] = [];
  for (let index = 0; index < settings.runs && !signal.aborted; index++) {
    runs.push(await series.run(target, index, `run ${index + 1} of ${settings.runs}`));
  }
  return runs;
}

/** Runs base and candidate in turn, ABBA, so that what drifts hits both; the document compares them. */
export async function runPairs(
  settings: LoadSettings,
  { base, candidate }: { base: LoadTarget; candidate: LoadTarget },
  session: LoadSession,
): Promise<void> {
  const { compareRuns, validateLoad } = await import('../../../load/index.ts');
  const { flags, signal, page, io } = session;
  // Both, before the first of them costs a token.
  for (const target of [base, candidate]) {
    await validateLoad(await loadOptions(settings, target, signal));
  }
  const series = new Series(settings, session);
  const sides = { base: [] as LoadDocument[], candidate: [] as LoadDocument[] };
  for (let pair = 0; pair < settings.runs && !signal.aborted; pair++) {
    const order =
      pair % 2 === 0 ? (['base', 'candidate'] as const) : (['candidate', 'base'] as const);
    for (const side of order) {
      if (signal.aborted) break;
      const target = side === 'base' ? base : candidate;
      const document = await series.run(
        target,
        pair,
        `pair ${pair + 1} of ${settings.runs}, ${side}`,
      );
      if (!signal.aborted) sides[side].push(document);
    }
  }
  const pairs = Math.min(sides.base.length, sides.candidate.length);
  const a = sides.base.slice(0, pairs);
  const b = sides.candidate.slice(0, pairs);
  const { marginPercent, options } = settings;
  const comparison = compareRuns({ base: a, candidate: b, marginPercent, seed: options.seed });
  const folder = await deliverWatched(
    {
      ...frameOf([...a, ...b]),
      kind: 'comparison',
      ...comparison,
      runs: { a: named(a, 'base'), b: named(b, 'candidate') },
      tool: TOOL,
    },
    flags,
    page,
    io,
  );
  await writeRuns(folder, 'base', a);
  await writeRuns(folder, 'candidate', b);
  io.exit(exitCodeOfComparison(comparison.verdict));
}

/** Runs one after the other, with one token for each target. */
class Series {
  readonly #settings: LoadSettings;
  readonly #session: Omit<LoadSession, 'flags'>;
  readonly #tokens = new Map<LoadTarget, TokenKeeper>();

  constructor(settings: LoadSettings, session: Omit<LoadSession, 'flags'>) {
    this.#settings = settings;
    this.#session = session;
  }

  /** @param index of the run: both sides of a pair send the same requests, other pairs others */
  async run(target: LoadTarget, index: number, label: string): Promise<LoadDocument> {
    const { runLoad, takeTokens } = await import('../../../load/index.ts');
    const { signal, page, io } = this.#session;
    const watch = new LoadWatch(io, page, label);
    const options = await loadOptions(this.#settings, target, signal);
    const own = { ...options, seed: options.seed + index };
    const tokens = this.#tokens.get(target) ?? (await takeTokens(own));
    this.#tokens.set(target, tokens);
    const result = await runLoad({
      ...own,
      tokens,
      onProgress: (progress) => watch.show(progress),
    }).finally(() => watch.end());
    watch.finish(result.series);
    watch.say(summaryOf(result));
    return { ...result, tool: TOOL };
  }
}

function summaryOf({ verdict, achieved, latencyUs }: LoadResult): string {
  const p99Ms = (latencyUs.response.p99 / 1000).toFixed(2);
  return `${verdict}, ${Math.round(achieved.rate)}/s, p99 ${p99Ms} ms, ${achieved.failed} failed`;
}

function frameOf(runs: readonly LoadDocument[]): {
  schemaVersion: 1;
  startedAt: string;
  finishedAt: string;
} {
  const startedAt = runs.map((run) => run.startedAt).sort()[0];
  const finishedAt = runs
    .map((run) => run.finishedAt)
    .sort()
    .at(-1);
  const now = new Date().toISOString();
  return { schemaVersion: 1, startedAt: startedAt ?? now, finishedAt: finishedAt ?? now };
}

const named = (runs: readonly LoadDocument[], side: string): (LoadDocument & { name: string })[] =>
  runs.map((run, index) => ({ ...run, name: `${side}-${index + 1}.json` }));

async function writeRuns(
  folder: string,
  name: string,
  runs: readonly LoadDocument[],
): Promise<void> {
  const { toJson } = await import('../../../report/index.ts');
  await Promise.all(
    runs.map((run, index) => writeFile(join(folder, `${name}-${index + 1}.json`), toJson(run))),
  );
}
