import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../clock.ts';
import { runInline } from './inline.ts';
import type { FromThread, ThreadData, ToThread } from './thread-messages.ts';

/** The thread of one generator: its plan comes as data, and its report goes as data. */
const tell = (message: FromThread): void => parentPort?.postMessage(message);

const handle = runInline({
  ...(workerData as ThreadData),
  clock: systemClock(),
  events: { onUpdate: (update) => tell({ kind: 'update', update }) },
});

parentPort?.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'start':
      handle.start(message.startNs);
      break;
    case 'token':
      handle.setToken(message.accessToken);
      break;
    case 'pause':
      void handle.pause().then(() => tell({ kind: 'paused' }));
      break;
    case 'resume':
      handle.resume(message.accessToken);
      break;
    case 'abort':
      handle.abort();
      break;
  }
});

void handle.ready.then(() => tell({ kind: 'ready' }));
void handle.report.then((report) => {
  tell({ kind: 'report', report });
  parentPort?.close();
});
