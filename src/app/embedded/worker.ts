import { parentPort, workerData } from 'node:worker_threads';
import { type EmbeddedOptions, openEmbeddedServers, type ThreadRequest } from './host.ts';

/** Thread of the embedded servers: tells their profiles, and serves each {@link ThreadRequest}. */
const { options, isMeasured } = workerData as {
  readonly options: readonly EmbeddedOptions[];
  readonly isMeasured: boolean;
};
const servers = await openEmbeddedServers(options, isMeasured);
parentPort?.postMessage(servers.profiles);
parentPort?.on('message', (request: ThreadRequest) => {
  if (request === 'probe') void servers.probe().then((reading) => parentPort?.postMessage(reading));
  else void servers.close().then(() => parentPort?.close());
});
