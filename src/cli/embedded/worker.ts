import { parentPort } from 'node:worker_threads';
import {
  type EmbeddedAnswer,
  type EmbeddedRequest,
  type EmbeddedServer,
  openEmbeddedServer,
} from './host.ts';

/** Thread of the embedded server: serves each {@link EmbeddedRequest}. */
let server: EmbeddedServer | null = null;

async function answer({ id, kind }: EmbeddedRequest): Promise<EmbeddedAnswer> {
  try {
    server ??= await openEmbeddedServer();
    switch (kind) {
      case 'start':
        return { id, kind: 'started', profile: server.profile };
      case 'probe':
        return { id, kind: 'reading', reading: await server.probe() };
      case 'close':
        await server.close();
        return { id, kind: 'closed' };
    }
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
