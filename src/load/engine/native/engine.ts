import { SharedStalls } from '../../record/shared-stalls.ts';
import type { Engine, GeneratorHandle } from '../engine.ts';
import { prepareInline } from './placement/inline.ts';
import { prepareInThread, threadsAvailable } from './placement/thread.ts';

/** The engine of this package, on `node:net` and `node:tls`. */
export const nativeEngine: Engine = {
  name: 'native',
  can: {
    openModel: true,
    replacesTokens: true,
    seesSendLag: true,
    checksAnswers: true,
    reconnects: true,
    tellsShapes: true,
    splitsPlans: true,
  },
  refuse: () => null,
  prepare: ({ placement, onUpdate, range, ...run }) => {
    const { from, count } = range ?? { from: 0, count: run.plan.generators };
    const inThreads = placement === undefined ? threadsAvailable() : placement === 'threads';
    const prepare = inThreads ? prepareInThread : prepareInline;
    const memory = count > 1 ? SharedStalls.memoryFor(count) : undefined;
    return allOrNone(
      Array.from({ length: count }, (_, index) => {
        const generator = from + index;
        return prepare({
          ...run,
          generator,
          stalls: memory && { memory, own: index },
          onUpdate: (update) => onUpdate(generator, update),
        });
      }),
    );
  },
};

/** Waits for generators; where one fails, the others are closed, and its error is thrown. */
export async function allOrNone(
  preparing: readonly Promise<GeneratorHandle>[],
): Promise<GeneratorHandle[]> {
  const ended = await Promise.allSettled(preparing);
  const handles = ended.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed === undefined) return handles;
  for (const handle of handles) handle.close();
  throw failed.reason;
}
