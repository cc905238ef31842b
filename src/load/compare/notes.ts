import type { BenchDocument } from '../../documents/bench.ts';
import type { LoadDocument, StageResult } from '../../documents/load.ts';
import {
  benchIdentity,
  type ComparedSides,
  type NamedFigures,
  type NamedRun,
  sampleIdentity,
} from './sides.ts';
import { MEANING_OF_FIGURES } from './tool-figures.ts';

/** A property in which documents may differ (null if they lack it), and what follows for the verdict. */
type Aspect<T> = readonly [
  name: string,
  of: (document: T) => string | null | undefined,
  consequence?: string,
];

const DEFAULT_CONSEQUENCE = 'What shifted may be the load, not the build.';

const TOOL: Aspect<LoadDocument | BenchDocument> = [
  'tool',
  ({ tool }) => `${tool.name} ${tool.version}`,
  'What shifted may be how it was measured.',
];

const OTHER_MACHINE = 'What shifted may be the machine, not the build.';

const LOAD_ASPECTS: readonly Aspect<LoadDocument>[] = [
  ['CPU', ({ machine }) => machine?.cpu, OTHER_MACHINE],
  ['cores', ({ machine }) => machine?.cores.toString(), OTHER_MACHINE],
  ['agents', ({ agents = [] }) => `${agents.length}`],
  ['model', ({ model }) => model],
  ['rate', ({ intended: { rate } }) => (rate === null ? 'none' : `${rate}/s`)],
  ['stages', ({ stages = [] }) => stages.map(stageInWords).join(', ') || 'none'],
  ['arrivals', ({ intended }) => intended.arrivals],
  ['connections', ({ intended }) => intended.connections?.toString()],
  ['duration', ({ intended }) => `${intended.durationS} s`],
  ['warm-up', ({ intended }) => `${intended.warmupS} s`],
  ['mix', ({ workload }) => mixInWords(workload.mix)],
  ['identity', ({ workload }) => workload.identity],
  ['engine', ({ engine }) => engine],
  ['workers', ({ generator }) => `${generator.workers}`],
  [
    'target',
    ({ target: { name, baseUrl, environment } }) => `${name}, ${placeOf(baseUrl)}, ${environment}`,
    'What shifted may be the target, if more than its build differs.',
  ],
  TOOL,
];

/** The address, without the port if it is on this machine: an embedded server takes a free one. */
const placeOf = (baseUrl: string): string =>
  baseUrl.replace(/^(https?:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])):\d+/, '$1');

/** Names and values of machine, engine, plan and target of a run of load. */
export function planOf(run: LoadDocument): (readonly [name: string, value: string])[] {
  return LOAD_ASPECTS.filter((aspect) => aspect !== TOOL).map(([name, of]) => [
    name,
    of(run) ?? 'unknown',
  ]);
}

/** Names of what differs between two runs of load in machine, engine, plan or target, and both values. */
export function differencesOf(run: LoadDocument, other: LoadDocument): string[] {
  const others = planOf(other);
  return planOf(run).flatMap(([name, value], at) => {
    const [, another] = others[at] as readonly [string, string];
    return value === another ? [] : [`${name} ${value} (not ${another})`];
  });
}

const BENCH_ASPECTS: readonly Aspect<BenchDocument>[] = [
  ['CPU', ({ machine }) => machine.cpu, OTHER_MACHINE],
  ['Node version', ({ machine }) => machine.node, 'What shifted may be Node, not the build.'],
  TOOL,
];

/**
 * Sentences on what limits a comparison; usually none: the sides were not run alike, share runs, or
 * have steps that were not compared.
 */
export function comparisonNotes(
  sides: ComparedSides,
  notCompared: readonly string[] = [],
): string[] {
  const { kind } = sides;
  return [
    ...(kind === 'load'
      ? [...loadNotes(sides), ...sharedNote(sides, sampleIdentity, 'runs')]
      : [...differences(sides, BENCH_ASPECTS), ...sharedNote(sides, benchIdentity, 'documents')]),
    ...(notCompared.length === 0
      ? []
      : [`Not compared, since not every document has them: ${notCompared.join(', ')}.`]),
  ];
}

type LoadSides = Sides<NamedRun | NamedFigures>;

/** Another tool keeps no plan: what differs is then unknown, and what their figures mean is said. */
function loadNotes({ base, candidate }: LoadSides): string[] {
  if ([...base, ...candidate].every(isRun)) {
    return differences(
      { base: base.filter(isRun), candidate: candidate.filter(isRun) },
      LOAD_ASPECTS,
    );
  }
  const [ofBase, ofCandidate] = [toolsOf(base), toolsOf(candidate)];
  return [
    `Figures of autocannon: ${MEANING_OF_FIGURES}`,
    'Whether the sides were run alike is not known: such files keep neither the model (open or closed) nor the rate, the requests and the target.',
    ...(ofBase === ofCandidate
      ? []
      : [
          `The base was measured by ${ofBase}, the candidate by ${ofCandidate}, and an open model counts waiting that a closed one leaves out. What shifted may be how it was measured; the verdict does not say that a build is faster or slower.`,
        ]),
  ];
}

const isRun = (run: NamedRun | NamedFigures): run is NamedRun => run.kind === 'load';

const toolsOf = (side: readonly (NamedRun | NamedFigures)[]): string =>
  [...new Set(side.map((run) => (isRun(run) ? `fareproof, ${run.model} model` : run.toolName)))]
    .sort()
    .join(' and ');

interface Sides<T> {
  base: readonly T[];
  candidate: readonly T[];
}

function differences<T>({ base, candidate }: Sides<T>, aspects: readonly Aspect<T>[]): string[] {
  return aspects.flatMap(([name, of, consequence = DEFAULT_CONSEQUENCE]) => {
    const words = (side: readonly T[]): string =>
      [...new Set(side.map((document) => of(document) ?? 'unknown'))].sort().join(' and ');
    const [ofBase, ofCandidate] = [words(base), words(candidate)];
    if (ofBase === ofCandidate) return [];
    return [
      `The sides were not run alike, ${name}: the base with ${ofBase}, the candidate with ${ofCandidate}. ${consequence}`,
    ];
  });
}

function sharedNote<T>(
  { base, candidate }: Sides<T>,
  identityOf: (document: T) => string,
  noun: string,
): string[] {
  const ofBase = new Set(base.map(identityOf));
  const shared = candidate.filter((document) => ofBase.has(identityOf(document))).length;
  if (shared === 0) return [];
  return [`${shared} of the candidate's ${noun} are among those of the base; they cannot differ.`];
}

const stageInWords = ({ fromRate, toRate, durationS }: StageResult): string =>
  `${fromRate === toRate ? '' : `${fromRate}-`}${toRate}/${durationS}s`;

/** `express=1, plain=8`, whatever the order in the document. */
function mixInWords(mix: Readonly<Record<string, number>>): string {
  return Object.entries(mix)
    .map(([shape, weight]) => `${shape}=${weight}`)
    .sort()
    .join(', ');
}
