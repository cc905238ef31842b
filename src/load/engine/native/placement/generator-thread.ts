import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../clock.ts';
import { prepareInline } from './inline.ts';
import type { FromThread, ThreadData, ToThread } from './thread.ts';

/** Entry of a generator's thread: its plan arrives as data, and its report leaves as data. */
const post = (message: FromThread): void => parentPort?.postMessage(message);

const generator = await prepareInline({
  ...(workerData as ThreadData),
  clock: systemClock(),
  onUpdate: (update) => post({ kind: 'update', update }),
});
const ending = new AbortController();

parentPort?.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'start':
      void generator.run(message.startNs, ending.signal).then((report) => {
        post({ kind: 'report', report });
        parentPort?.close();
      });
      break;
    case 'token':
      generator.token?.setToken(message.accessToken);
      break;
    case 'pause':
      void generator.token?.pause().then(() => post({ kind: 'paused' }));
      break;
    case 'resume':
      generator.token?.resume(message.accessToken);
      break;
    case 'abort':
      ending.abort();
      break;
  }
});

post({ kind: 'ready' });
