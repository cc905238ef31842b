import type { BenchDocument } from '../../documents/bench.ts';
import type { ComparedSide } from '../../documents/comparison.ts';
import type { LoadDocument } from '../../documents/load.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { ConfigurationError } from '../../interface/index.ts';
import { spreadOf } from '../result/spread.ts';
import type { ToolFigures } from './tool-figures.ts';
import { isUsable } from './usable.ts';

/** A document, or the figures of another tool, and its name, such as the path of its file. */
export interface NamedDocument {
  name: string;
  document: RunDocument | ToolFigures;
}

/** A load run with the name of its document. */
export type NamedRun = LoadDocument & { name: string };

/** Figures of another tool with the name of their file. */
export type NamedFigures = ToolFigures & { name: string };

/** A bench with the name of its document. */
export type NamedBench = BenchDocument & { name: string };

/** Both sides of a comparison, which are of one kind. */
export type ComparedSides =
  | {
      kind: 'load';
      base: readonly (NamedRun | NamedFigures)[];
      candidate: readonly (NamedRun | NamedFigures)[];
    }
  | { kind: 'bench'; base: readonly NamedBench[]; candidate: readonly NamedBench[] };

/**
 * Takes the sides of a comparison out of documents: load runs, or benches. Throws ConfigurationError
 * `COMPARE_FILE_KIND` for documents of other kinds, or of both.
 */
export function sidesOf(
  base: readonly NamedDocument[],
  candidate: readonly NamedDocument[],
): ComparedSides {
  return [...base, ...candidate].some(({ document }) => document.kind === 'bench')
    ? { kind: 'bench', base: benchesOf(base), candidate: benchesOf(candidate) }
    : { kind: 'load', base: samplesOf(base), candidate: samplesOf(candidate) };
}

/** Load runs, and figures of other tools. */
function samplesOf(documents: readonly NamedDocument[]): (NamedRun | NamedFigures)[] {
  const figures = documents.flatMap(({ name, document }) =>
    document.kind === 'figures' ? [{ ...document, name }] : [],
  );
  const runs = documents.filter(({ document }) => document.kind !== 'figures');
  return [...withoutRepeats(figures, sampleIdentity), ...runsOf(runs)];
}

/**
 * Takes load runs out of documents, each of one run or a list of runs. A run that is there twice is
 * taken once, since twice would make it look more certain than it is.
 *
 * @throws ConfigurationError `COMPARE_FILE_KIND` for documents of other kinds
 */
export function runsOf(documents: readonly NamedDocument[]): NamedRun[] {
  const runs = documents.flatMap(({ name, document }) => {
    if (document.kind === 'load') return [{ ...document, name }];
    if (document.kind !== 'load-set') return refuse(name, document, 'run documents of load');
    return document.runs.map((run, index) => ({ ...run, name: `${name} ${index + 1}` }));
  });
  return withoutRepeats(runs, runIdentity);
}

function benchesOf(documents: readonly NamedDocument[]): NamedBench[] {
  const benches = documents.map(({ name, document }) =>
    document.kind === 'bench'
      ? { ...document, name }
      : refuse(name, document, 'documents of bench on both sides, or of load'),
  );
  return withoutRepeats(benches, benchIdentity);
}

function refuse(name: string, document: NamedDocument['document'], wanted: string): never {
  const { kind } = document;
  const is = kind === 'figures' ? `a result of ${document.toolName}` : `a document of kind ${kind}`;
  throw new ConfigurationError('COMPARE_FILE_KIND', `${name}: is ${is}; give ${wanted}.`);
}

function withoutRepeats<T>(items: readonly T[], identityOf: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => seen.size < seen.add(identityOf(item)).size);
}

/** Identity of a run, wherever it is stored. */
const runIdentity = ({ startedAt, finishedAt, histograms }: LoadDocument): string =>
  `${startedAt} ${finishedAt} ${histograms.response}`;

/** Identity of a run or of figures, wherever they are stored. */
export const sampleIdentity = (sample: LoadDocument | ToolFigures): string =>
  sample.kind === 'figures'
    ? JSON.stringify([sample.toolName, sample.startedAt, sample.achieved, sample.latencyUs])
    : runIdentity(sample);

/** Identity of a bench, wherever it is stored. */
export const benchIdentity = ({ startedAt, finishedAt, steps }: BenchDocument): string =>
  `${startedAt} ${finishedAt} ${JSON.stringify(steps)}`;

/** Names that both sides of a comparison were given. */
export interface SideNames {
  readonly base?: string | undefined;
  readonly candidate?: string | undefined;
}

/** Absolute figures of both sides of a comparison, and their names. */
export function describeSides(
  { base, candidate }: ComparedSides,
  names: SideNames = {},
): { a: ComparedSide; b: ComparedSide } {
  return { a: describeSide(base, names.base), b: describeSide(candidate, names.candidate) };
}

function describeSide(
  runs: readonly (NamedRun | NamedFigures | NamedBench)[],
  name: string | undefined,
): ComparedSide {
  const loads = runs.filter((run): run is NamedRun => run.kind === 'load');
  return {
    ...(name !== undefined && { name }),
    label: labelOf(runs, loads),
    spread: spreadOf(loads, isUsable),
  };
}

/** `staging, https://rides.example.test: old/run-1.json and 9 more`; of benches only the files. */
function labelOf(
  runs: readonly { readonly name: string }[],
  loads: readonly Pick<NamedRun, 'target'>[],
): string {
  const [first, ...others] = runs;
  if (first === undefined) return 'no runs';
  const targets = new Set(loads.map(({ target: { name, baseUrl } }) => `${name}, ${baseUrl}`));
  const files = others.length === 0 ? first.name : `${first.name} and ${others.length} more`;
  // An embedded server has another port each time.
  const [one, ...more] = targets;
  const named = more.length > 1 ? `${one} and ${more.length} more` : [...targets].join(' and ');
  return targets.size === 0 ? files : `${named}: ${files}`;
}
