import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { FareproofError } from '../../interface/errors.ts';
import type { EmbeddedAnswer, EmbeddedOptions, EmbeddedRequest, EmbeddedServers } from './host.ts';

const WORKER = new URL('./worker.js', import.meta.url);

/**
 * Starts reference servers in a worker thread, so that their event loop and that of their clients do
 * not slow each other down. If the worker is not compiled (when running from source), they run in this
 * thread.
 *
 * @param isMeasured true if `probe` is to be called
 * @throws FareproofError `EMBEDDED_SERVER_FAILED`
 */
export async function startEmbeddedServers(
  options: readonly EmbeddedOptions[],
  isMeasured = false,
): Promise<EmbeddedServers> {
  if (!existsSync(WORKER)) {
    const { openEmbeddedServers } = await import('./host.ts');
    return openEmbeddedServers(options, isMeasured);
  }
  const worker = new Worker(WORKER, { stdout: false, stderr: false });
  const waiting = new Map<number, (answer: EmbeddedAnswer) => void>();
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const failed = new Promise<never>((_resolve, reject) => {
    worker.once('error', (error) => reject(failure(error.message)));
    worker.once('exit', () => reject(failure('its thread ended')));
  });
  failed.catch(() => undefined);
  worker.on('message', (answer: EmbeddedAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  let lastId = 0;
  const ask = (request: (id: number) => EmbeddedRequest): Promise<EmbeddedAnswer> => {
    const id = ++lastId;
    const answered = new Promise<EmbeddedAnswer>((resolve) => waiting.set(id, resolve));
    worker.postMessage(request(id));
    return Promise.race([answered, failed]);
  };
  const started = await ask((id) => ({ id, kind: 'start', options, isMeasured }));
  if (started.kind !== 'started') throw failure(started.kind === 'failed' ? started.message : '');
  return {
    profiles: started.profiles,
    probe: async () => {
      const answer = await ask((id) => ({ id, kind: 'probe' }));
      if (answer.kind === 'reading') return answer.reading;
      throw failure('it reported no health');
    },
    close: async () => {
      await ask((id) => ({ id, kind: 'close' }));
      await ended;
    },
  };
}

function failure(why: string): FareproofError {
  return new FareproofError(
    'EMBEDDED_SERVER_FAILED',
    `The embedded server did not start or stopped (${why}); please report it.`,
  );
}
