import { parentPort, workerData } from 'node:worker_threads';
import { type EmbeddedServer, openEmbeddedServer } from './host.ts';
import type { EmbeddedAnswer, EmbeddedOptions, EmbeddedRequest } from './messages.ts';

/** Thread of the embedded server: serves each {@link EmbeddedRequest}. */
let server: EmbeddedServer | null = null;

async function answer({ id, kind }: EmbeddedRequest): Promise<EmbeddedAnswer> {
  try {
    server ??= await openEmbeddedServer(workerData as EmbeddedOptions);
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
