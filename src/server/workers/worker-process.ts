import cluster from 'node:cluster';
import { preferShortPauses } from '../short-pauses.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { WorkerServer } from './worker-server.ts';

/** Entry of a worker of `startServer({ workers })`. It ends with its owner. */
const { worker } = cluster;
if (worker === undefined) throw new Error('started by startServer only');

// Ctrl-C reaches every process of the terminal, and the owner decides when its workers end.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  worker.process.on(name, () => undefined);
}
preferShortPauses();

const send = (message: FromWorker): void => {
  if (worker.isConnected()) worker.send(message, () => undefined);
};
const server = new WorkerServer(send, () => worker.kill());
worker.on('message', (message: ToWorker) => server.take(message));
send({ kind: 'loaded' });
