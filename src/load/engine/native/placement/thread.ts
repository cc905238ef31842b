import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { FareproofError } from '../../../../interface/index.ts';
import type { GeneratorHandle, GeneratorReport, GeneratorUpdate } from '../../engine.ts';
import { type GeneratorOrder, orderedTokenUser, orderRun } from '../../orders.ts';
import type { GeneratorTask } from '../generator-base.ts';

const THREAD = new URL('./generator-thread.js', import.meta.url);

/** True if generators can have threads: uncompiled sources cannot start one. */
export function threadsAvailable(): boolean {
  return existsSync(THREAD);
}

/** Data that a generator's thread starts with. */
export type ThreadData = Pick<
  GeneratorTask,
  'plan' | 'requests' | 'generator' | 'accessToken' | 'recordEveryMs'
>;

/** Messages from a generator's thread. */
export type FromThread =
  | { kind: 'ready' }
  | { kind: 'paused' }
  | { kind: 'update'; update: GeneratorUpdate }
  | { kind: 'report'; report: GeneratorReport };

/** Starts a generator in its own thread, with its own event loop and heap. */
export async function prepareInThread(
  task: Omit<GeneratorTask, 'startNs'>,
): Promise<GeneratorHandle> {
  const { plan, requests, generator, accessToken, recordEveryMs } = task;
  const workerData: ThreadData = { plan, requests, generator, accessToken, recordEveryMs };
  const worker = new Worker(THREAD, { workerData });
  const post = (order: GeneratorOrder): void => worker.postMessage(order);
  const once = (kind: 'ready' | 'paused'): Promise<void> =>
    new Promise((resolve) => {
      const take = (message: FromThread): void => {
        if (message.kind !== kind) return;
        worker.off('message', take);
        resolve();
      };
      worker.on('message', take);
    });
  const report = new Promise<GeneratorReport>((resolve, reject) => {
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'update') task.onUpdate(message.update);
      if (message.kind === 'report') resolve(message.report);
    });
    worker.once('error', (error) => reject(generatorFailed(error.message)));
    worker.once('exit', () => reject(generatorFailed('its thread ended before its report')));
  });
  await Promise.race([once('ready'), report]);
  return {
    run(startNs, ending) {
      orderRun(post, startNs, ending);
      return report;
    },
    close: () => void worker.terminate(),
    token: orderedTokenUser(post, () => Promise.race([once('paused'), report])),
  };
}

function generatorFailed(why: string): FareproofError {
  return new FareproofError(
    'GENERATOR_FAILED',
    `A generator of the load run failed (${why}); please report it.`,
  );
}
