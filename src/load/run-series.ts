import type { Tool } from '../documents/base.ts';
import type { LoadDocument, LoadSetDocument } from '../documents/load.ts';
import type { RunDocument } from '../documents/run-document.ts';
import { type PlannedLoad, withSeed } from './plan-load.ts';
import type { LoadResult } from './result/build.ts';
import { spreadOf } from './result/spread.ts';
import { resultOfUnreachable, unreachableReasonOf } from './result/unreachable.ts';
import type { LoadProgress } from './run-context.ts';
import { runPlanned, takeTokenFor } from './run-load.ts';
import type { TokenKeeper } from './tokens/keeper.ts';

/** Follows runs as they are made. */
export interface RunObserver {
  /** @param label name of the run among several, such as `run 3 of 10`; empty for a single one */
  onStart(label: string): void;
  /** About once a second. */
  onProgress(progress: LoadProgress): void;
  onEnd(document: LoadDocument): void;
  /** After onEnd, or in place of it where the run failed. */
  onSettled(): void;
}

/** Runs one after the other, with one token for each load. */
export class RunSeries {
  readonly #tool: Tool;
  readonly #observer: RunObserver;
  readonly #tokens = new Map<PlannedLoad, TokenKeeper>();

  constructor(tool: Tool, observer: RunObserver) {
    this.#tool = tool;
    this.#observer = observer;
  }

  /**
   * Runs a load once, with its seed plus the index. Throws as runLoad, but for a target that cannot be
   * reached: that is an invalid run.
   */
  async run(load: PlannedLoad, index = 0, label = ''): Promise<LoadDocument> {
    const observer = this.#observer;
    observer.onStart(label);
    try {
      const seeded = withSeed(load, load.plan.seed + index);
      const document = { ...(await this.#measure(load, seeded)), tool: this.#tool };
      observer.onEnd(document);
      return document;
    } finally {
      observer.onSettled();
    }
  }

  /** A target that gives no token is a result too: it could not be reached. */
  async #measure(load: PlannedLoad, seeded: PlannedLoad): Promise<LoadResult> {
    try {
      const tokens = this.#tokens.get(load) ?? (await takeTokenFor(load));
      this.#tokens.set(load, tokens);
      return await runPlanned(seeded, tokens, (progress) => this.#observer.onProgress(progress));
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
  { runs, tool, observer }: { runs: number; tool: Tool; observer: RunObserver },
): Promise<LoadSetDocument> {
  const { signal, clock } = load.context;
  const series = new RunSeries(tool, observer);
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
