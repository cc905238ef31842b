import type { Engine } from '../engine.ts';
import { prepareInline } from './placement/inline.ts';
import { prepareInThread, threadsAvailable } from './placement/thread.ts';

/** The engine of this package, on `node:net` and `node:tls`. */
export const nativeEngine: Engine = {
  name: 'native',
  can: { openModel: true, replacesTokens: true, seesSendLag: true },
  refuse: () => null,
  prepare: ({ plan, requests, accessToken, clock, events, placement }) => {
    const inThreads = placement === undefined ? threadsAvailable() : placement === 'threads';
    const prepare = inThreads ? prepareInThread : prepareInline;
    return Promise.all(
      Array.from({ length: plan.generators }, (_, generator) =>
        prepare({ plan, requests, generator, accessToken, clock, events: events(generator) }),
      ),
    );
  },
};
