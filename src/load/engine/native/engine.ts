import type { Engine } from '../engine.ts';
import { prepareInline } from './placement/inline.ts';
import { prepareInThread, threadsAvailable } from './placement/thread.ts';

/** The engine of this package, on `node:net` and `node:tls`. */
export const nativeEngine: Engine = {
  name: 'native',
  can: { openModel: true, replacesTokens: true, seesSendLag: true, checksAnswers: true },
  refuse: () => null,
  prepare: ({ placement, onUpdate, ...run }) => {
    const inThreads = placement === undefined ? threadsAvailable() : placement === 'threads';
    const prepare = inThreads ? prepareInThread : prepareInline;
    return Promise.all(
      Array.from({ length: run.plan.generators }, (_, generator) =>
        prepare({ ...run, generator, onUpdate: (update) => onUpdate(generator, update) }),
      ),
    );
  },
};
