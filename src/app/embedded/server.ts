import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { FareproofError } from '../../interface/errors.ts';
import { requireMd5, type TargetProfile } from '../../interface/index.ts';
import type { ServerReading } from '../../load/index.ts';
import type { EmbeddedOptions, EmbeddedServers, ThreadRequest } from './host.ts';

const WORKER = new URL('./worker.js', import.meta.url);

/**
 * Starts reference servers in a worker thread, so that their event loop and that of their clients do
 * not slow each other down. If the worker is not compiled (when running from source), they run in this
 * thread.
 *
 * @param isMeasured true if `probe` is to be called
 * @throws FareproofError `EMBEDDED_SERVER_FAILED`
 * @throws ConfigurationError `MD5_MISSING`
 */
export async function startEmbeddedServers(
  options: readonly EmbeddedOptions[],
  isMeasured = false,
): Promise<EmbeddedServers> {
  requireMd5();
  if (!existsSync(WORKER)) {
    const { openEmbeddedServers } = await import('./host.ts');
    return openEmbeddedServers(options, isMeasured);
  }
  const workerData = { options, isMeasured };
  const worker = new Worker(WORKER, { workerData, stdout: false, stderr: false });
  const waiting: ((answer: unknown) => void)[] = [];
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const failed = new Promise<never>((_resolve, reject) => {
    worker.once('error', (error) => reject(failure(error.message)));
    worker.once('exit', () => reject(failure('its thread ended')));
  });
  failed.catch(() => undefined);
  // It tells the profiles first, and then answers one request after the other.
  worker.on('message', (answer: unknown) => waiting.shift()?.(answer));
  const answer = <T>(): Promise<T> =>
    Promise.race([new Promise<unknown>((resolve) => waiting.push(resolve)), failed]) as Promise<T>;
  const profiles = await answer<readonly TargetProfile[]>();
  return {
    profiles,
    probe: () => {
      worker.postMessage('probe' satisfies ThreadRequest);
      return answer<ServerReading>();
    },
    close: async () => {
      worker.postMessage('close' satisfies ThreadRequest);
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
