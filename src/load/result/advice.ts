import type { LoadModel } from '../plan.ts';
import type { TargetPlace } from '../target-address.ts';

/** Resource that a generator lacked: it was stopped, or needed more threads, or more cores for those it has. */
type Lack = 'running' | 'threads' | 'cores';

const STOPPED = 'It was stopped or suspended; run it again.';
const MORE_THREADS = 'Give the generator more worker threads.';

const LESS: Readonly<Record<LoadModel, string>> = {
  open: 'lower the rate',
  closed: 'use fewer connections',
};

const SHARED: Readonly<Record<Exclude<TargetPlace, 'elsewhere'>, string>> = {
  embedded: 'The embedded server shares the cores of this machine',
  'this-machine': 'The target shares the cores of this machine',
};

function moreCores(place: TargetPlace, model: LoadModel): string {
  if (place === 'elsewhere')
    return 'Stop other programs on this machine, or run the generator on another one; more worker threads need cores of their own.';
  return `${SHARED[place]}: stop other programs, ${LESS[model]}, or put the target on another machine.`;
}

const PLACES: readonly TargetPlace[] = ['embedded', 'this-machine', 'elsewhere'];
const MODELS: readonly LoadModel[] = ['open', 'closed'];
const ALL: readonly string[] = [
  STOPPED,
  MORE_THREADS,
  ...PLACES.flatMap((place) => MODELS.map((model) => moreCores(place, model))),
];

/** Advice for a generator that lacked something. */
export function adviceFor(lack: Lack, place: TargetPlace, model: LoadModel): string {
  if (lack === 'running') return STOPPED;
  return lack === 'threads' ? MORE_THREADS : moreCores(place, model);
}

/** Removes the advice from a sentence about a generator, and from several joined. */
export const withoutAdvice = (reason: string): string =>
  ALL.reduce((text, advice) => text.replace(` ${advice}`, ''), reason);
