import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { GeneratorHandle } from '../../engine.ts';
import { type GeneratorWord, generatorFailed } from '../../orders.ts';
import { RemoteGenerators } from '../../remote-generators.ts';
import type { GeneratorTask } from '../generator-base.ts';

const THREAD = new URL('./generator-thread.js', import.meta.url);

/** True if generators can have threads: uncompiled sources cannot start one. */
export function threadsAvailable(): boolean {
  return existsSync(THREAD);
}

/** Data that a generator's thread starts with. */
export type ThreadData = Pick<
  GeneratorTask,
  'plan' | 'requests' | 'generator' | 'stalls' | 'accessToken' | 'recordEveryMs'
>;

/** Starts a generator in its own thread, with its own event loop and heap. */
export async function prepareInThread(
  task: Omit<GeneratorTask, 'startNs'>,
): Promise<GeneratorHandle> {
  const { plan, requests, generator, stalls, accessToken, recordEveryMs } = task;
  const workerData: ThreadData = {
    plan,
    requests,
    generator,
    stalls,
    accessToken,
    recordEveryMs,
  };
  const worker = new Worker(THREAD, { workerData });
  const remote = new RemoteGenerators({
    range: { from: generator, count: 1 },
    send: (order) => worker.postMessage(order),
    close: () => void worker.terminate(),
    onUpdate: (_generator, update) => task.onUpdate(update),
  });
  worker.on('message', (word: GeneratorWord) => remote.take(word));
  worker.once('error', ({ message }) => remote.fail(generatorFailed(message)));
  worker.once('exit', () => remote.fail(generatorFailed('its thread ended before its report')));
  await remote.ready;
  return remote.handles[0]!;
}
