import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { FareproofError } from '../../interface/errors.ts';
import type { EmbeddedAnswer, EmbeddedRequest, EmbeddedServer } from './host.ts';

const WORKER = new URL('./worker.js', import.meta.url);

/**
 * Starts the reference server in a worker thread, so that its event loop and the generator's do not
 * slow each other down. If the worker is not compiled (when running from source), it runs in this
 * thread.
 *
 * @throws FareproofError `EMBEDDED_SERVER_FAILED`
 */
export async function startEmbeddedServer(): Promise<EmbeddedServer> {
  if (!existsSync(WORKER)) {
    const { openEmbeddedServer } = await import('./host.ts');
    return openEmbeddedServer();
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
  const ask = (kind: EmbeddedRequest['kind']): Promise<EmbeddedAnswer> => {
    const id = ++lastId;
    const answered = new Promise<EmbeddedAnswer>((resolve) => waiting.set(id, resolve));
    worker.postMessage({ id, kind } satisfies EmbeddedRequest);
    return Promise.race([answered, failed]);
  };
  const started = await ask('start');
  if (started.kind !== 'started') throw failure(started.kind === 'failed' ? started.message : '');
  return {
    profile: started.profile,
    probe: async () => {
      const answer = await ask('probe');
      if (answer.kind === 'reading') return answer.reading;
      throw failure('it reported no health');
    },
    close: async () => {
      await ask('close');
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
