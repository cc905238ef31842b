import type { LoadDocument } from '../documents/load.ts';
import { ConfigurationError } from '../interface/index.ts';
import { Redactor } from '../redaction/index.ts';
import type { AgentPart } from './agents/agent-progress.ts';
import { engineNamed } from './engine/engines.ts';
import type { JudgedLoad } from './plan-load.ts';
import { buildResult, type LoadResult } from './result/build.ts';
import { readStoredPart, type StoredPart } from './result/stored-part.ts';
import { RunProgress } from './watch/progress.ts';

/** Nothing is sent any more. */
const NO_ADDRESS = {
  secure: false,
  host: '',
  port: 0,
  hostHeader: '',
  pathPrefix: '',
  tls: null,
};
const STOPPED = { now: () => 0, monotonicNs: () => 0 };

interface Part {
  readonly document: LoadDocument;
  readonly number: number;
  readonly stored: StoredPart;
}

/**
 * Makes the document of a load from those of all its parts, without loss, and judges it.
 *
 * @throws ConfigurationError `PART_NONE`, `PARTS_DIFFER`, `PARTS_MISSING`, `PART_INTERRUPTED` or
 *   `PART_NOT_READ`
 */
export function mergeDocuments(documents: readonly LoadDocument[]): LoadResult {
  const parts = partsOf(documents);
  const { target, plan: stored, engine, mix, ...facts } = parts[0]!.stored.load;
  const plan = { ...stored, address: NO_ADDRESS, headers: {} };
  const load: JudgedLoad = {
    ...facts,
    engine: engineNamed(engine),
    plan,
    mix: new Map(mix) as JudgedLoad['mix'],
    context: { profile: target },
  };
  const count = plan.generators / parts.length;
  const agents: AgentPart[] = parts.map(({ number, stored: { cores } }, index) => ({
    name: `part-${number}`,
    cores,
    range: { from: index * count, count },
    missingUpdates: 0,
  }));
  const progress = new RunProgress(plan, STOPPED);
  const seconds = parts.flatMap((part) => part.stored.seconds.filter((one) => one.seconds[0]));
  // The series holds the histograms of a few seconds only.
  for (const one of seconds.toSorted((a, b) => a.seconds[0]!.second - b.seconds[0]!.second)) {
    progress.take(0, { ...one, waiting: 0 });
  }
  const times = (of: 'startedAt' | 'finishedAt'): number[] =>
    parts.map(({ document }) => Date.parse(document[of]));
  return buildResult({
    load,
    reports: parts.flatMap((part) => part.stored.reports),
    agents,
    series: progress.finishSeries(plan.durationMs),
    startedAtMs: Math.min(...times('startedAt')),
    finishedAtMs: Math.max(...times('finishedAt')),
    measuredMs: plan.durationMs,
    abortedOn: null,
    server: null,
    partnerId: facts.partnerId,
    requestCount: facts.requestCount,
    notes: [],
    redactor: new Redactor(),
  });
}

/** The shards in their order: all of one load, each once. */
function partsOf(documents: readonly LoadDocument[]): Part[] {
  const parts = documents.map((document): Part => {
    const { part, target, interrupted } = document;
    if (part === undefined) {
      throw new ConfigurationError(
        'PART_NONE',
        `The run on ${target.name} of ${document.startedAt} is not a shard of a load; give the run.json files of all shards.`,
      );
    }
    if (interrupted) {
      throw new ConfigurationError(
        'PART_INTERRUPTED',
        `Shard ${part.number} was interrupted, so the load is incomplete; run all shards again.`,
      );
    }
    return { document, number: part.number, stored: readStoredPart(part) };
  });
  const sorted = parts.toSorted((a, b) => a.number - b.number);
  const [first] = sorted;
  if (first === undefined) throw new ConfigurationError('PART_NONE', 'There is no shard to merge.');
  const isOf = ({ document: { part, tool }, stored }: Part): string =>
    JSON.stringify([part?.of, part?.startAt, tool.version, stored.load]);
  const other = sorted.find((one) => isOf(one) !== isOf(first));
  if (other !== undefined) {
    throw new ConfigurationError(
      'PARTS_DIFFER',
      `Shards ${first.number} and ${other.number} are not of one load: their options, start or version differ.`,
    );
  }
  const twice = sorted.find(({ number }, index) => sorted[index - 1]?.number === number);
  if (twice !== undefined) {
    throw new ConfigurationError('PARTS_DIFFER', `Shard ${twice.number} is given twice.`);
  }
  const of = first.document.part?.of ?? 0;
  const numbers = Array.from({ length: of }, (_, index) => index + 1);
  const missing = numbers.filter((number) => !sorted.some((part) => part.number === number));
  if (missing.length === 0) return sorted;
  throw new ConfigurationError(
    'PARTS_MISSING',
    `Of ${of} shards, ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing; give all of them, or run the load again.`,
  );
}
