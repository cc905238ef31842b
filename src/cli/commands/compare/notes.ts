import type { BenchDocument, LoadDocument } from '../../../report/index.ts';
import { identityOf, identityOfBench } from './runs.ts';

/** Something in which sides may differ; null where a document does not tell. */
interface Aspect<T> {
  /** As the subject of a sentence. */
  name: string;
  of: (document: T) => string | null;
  /** What a difference means for the verdict. */
  so: string;
}

const LOAD = 'What shifted may be the load, not the build.';

const LOAD_ASPECTS: readonly Aspect<LoadDocument>[] = [
  { name: 'model', of: ({ model }) => model, so: LOAD },
  { name: 'rate', of: ({ intended }) => rateWords(intended.rate), so: LOAD },
  { name: 'arrivals', of: ({ intended }) => textIn(intended, 'arrivals'), so: LOAD },
  { name: 'connections', of: ({ intended }) => numberWords(intended.connections), so: LOAD },
  { name: 'duration', of: ({ intended }) => `${intended.durationS} s`, so: LOAD },
  { name: 'warm-up', of: ({ intended }) => `${intended.warmupS} s`, so: LOAD },
  { name: 'mix', of: (run) => mixWords(run), so: LOAD },
  { name: 'identity (--as)', of: (run) => textIn(workloadOf(run), 'identity'), so: LOAD },
  { name: 'engine', of: ({ engine }) => engine, so: LOAD },
  { name: 'workers', of: ({ generator }) => `${generator.workers}`, so: LOAD },
  {
    name: 'target',
    of: ({ target: { name, baseUrl, environment } }) => `${name}, ${baseUrl}, ${environment}`,
    so: 'Where the build is not all that differs between them, what shifted may be that.',
  },
];

const TOOL: Aspect<LoadDocument | BenchDocument> = {
  name: 'tool',
  of: ({ tool }) => `${tool.name} ${tool.version}`,
  so: 'What shifted may be how it was measured.',
};

const BENCH_ASPECTS: readonly Aspect<BenchDocument>[] = [
  {
    name: 'CPU',
    of: (bench) => textIn(machineOf(bench), 'cpu'),
    so: 'What shifted may be the machine, not the build.',
  },
  {
    name: 'Node version',
    of: (bench) => textIn(machineOf(bench), 'node'),
    so: 'What shifted may be Node, not the build.',
  },
];

/** What a reader should know of load runs before taking the verdict: sentences, mostly none. */
export function notesOn(
  base: readonly LoadDocument[],
  candidate: readonly LoadDocument[],
): string[] {
  return [
    ...differences(base, candidate, [...LOAD_ASPECTS, TOOL]),
    ...sharedNote(base.map(identityOf), candidate.map(identityOf), 'runs'),
  ];
}

/**
 * The same for benches.
 *
 * @param notCompared steps that not every document has
 */
export function benchNotesOn(
  base: readonly BenchDocument[],
  candidate: readonly BenchDocument[],
  notCompared: readonly string[],
): string[] {
  return [
    ...differences(base, candidate, [...BENCH_ASPECTS, TOOL]),
    ...sharedNote(base.map(identityOfBench), candidate.map(identityOfBench), 'documents'),
    ...(notCompared.length === 0
      ? []
      : [`Not compared, since not every document has them: ${notCompared.join(', ')}.`]),
  ];
}

function differences<T>(
  base: readonly T[],
  candidate: readonly T[],
  aspects: readonly Aspect<T>[],
): string[] {
  return aspects.flatMap(({ name, of, so }) => {
    const words = (side: readonly T[]): string =>
      [...new Set(side.map((document) => of(document) ?? 'not said'))].sort().join(' and ');
    const [ofBase, ofCandidate] = [words(base), words(candidate)];
    if (ofBase === ofCandidate) return [];
    return [
      `The sides were not run alike, ${name}: the base with ${ofBase}, the candidate with ${ofCandidate}. ${so}`,
    ];
  });
}

function sharedNote(base: readonly string[], candidate: readonly string[], what: string): string[] {
  const shared = candidate.filter((identity) => base.includes(identity)).length;
  if (shared === 0) return [];
  return [`${shared} of the candidate's ${what} are among those of the base; they cannot differ.`];
}

const rateWords = (rate: number | null): string => (rate === null ? 'none' : `${rate}/s`);

const numberWords = (value: number | null): string | null => (value === null ? null : `${value}`);

/** `plain=8, express=1`: the shares alone matter, and the order does not. */
function mixWords(run: LoadDocument): string | null {
  const mix = fieldOf(workloadOf(run), 'mix');
  if (typeof mix !== 'object' || mix === null) return null;
  return Object.entries(mix)
    .map(([shape, weight]) => `${shape}=${String(weight)}`)
    .sort()
    .join(', ');
}

/** Documents may carry more than their kind says; what a run was asked for is such a thing. */
const workloadOf = (run: LoadDocument): unknown => fieldOf(run, 'workload');
const machineOf = (bench: BenchDocument): unknown => fieldOf(bench, 'machine');

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function textIn(value: unknown, name: string): string | null {
  const field = fieldOf(value, name);
  return typeof field === 'string' ? field : null;
}
