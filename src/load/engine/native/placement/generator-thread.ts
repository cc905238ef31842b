import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../clock.ts';
import { obeyOrders } from '../../orders.ts';
import { prepareInline } from './inline.ts';
import type { FromThread, ThreadData } from './thread.ts';

/** Entry of a generator's thread: its plan arrives as data, and its report leaves as data. */
const post = (message: FromThread): void => parentPort?.postMessage(message);

const generator = await prepareInline({
  ...(workerData as ThreadData),
  clock: systemClock(),
  onUpdate: (update) => post({ kind: 'update', update }),
});
const obey = obeyOrders([generator], {
  onPaused: () => post({ kind: 'paused' }),
  onReport: (_index, report) => {
    post({ kind: 'report', report });
    parentPort?.close();
  },
});
parentPort?.on('message', obey);
post({ kind: 'ready' });
