import { parentPort } from 'node:worker_threads';
import {
  type EmbeddedAnswer,
  type EmbeddedRequest,
  type EmbeddedServers,
  openEmbeddedServers,
} from './host.ts';

/** Thread of the embedded servers: serves each {@link EmbeddedRequest}. */
let servers: EmbeddedServers | null = null;

async function answer(request: EmbeddedRequest): Promise<EmbeddedAnswer> {
  const { id } = request;
  try {
    if (request.kind === 'start') {
      servers = await openEmbeddedServers(request.options, request.isMeasured);
      return { id, kind: 'started', profiles: servers.profiles };
    }
    if (!servers) throw new Error('no server was started');
    if (request.kind === 'probe') return { id, kind: 'reading', reading: await servers.probe() };
    await servers.close();
    return { id, kind: 'closed' };
  } catch (error) {
    return { id, kind: 'failed', message: (error as Error).message };
  }
}

parentPort?.on('message', (request: EmbeddedRequest) => {
  void answer(request).then((message) => {
    parentPort?.postMessage(message);
    if (request.kind === 'close') parentPort?.close();
  });
});
