import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { FareproofError } from '../../../../interface/index.ts';
import type { GeneratorHandle } from '../../generator.ts';
import type { GeneratorReport } from '../../generator-report.ts';
import type { HandleOptions } from './inline.ts';
import type { FromThread, ThreadData, ToThread } from './thread-messages.ts';

const THREAD = new URL('./generator-thread.js', import.meta.url);

/** Whether generators can have threads: the sources as they are, not compiled, cannot start one. */
export function threadsAvailable(): boolean {
  return existsSync(THREAD);
}

/** Runs a generator in a thread of its own, with an event loop and a heap of its own. */
export function runInThread({
  plan,
  generator,
  accessToken,
  events,
}: HandleOptions): GeneratorHandle {
  const workerData: ThreadData = { plan, generator, accessToken };
  const worker = new Worker(THREAD, { workerData });
  const tell = (message: ToThread): void => worker.postMessage(message);
  let onPaused = (): void => undefined;
  let becomeReady: () => void;
  let resolve: (report: GeneratorReport) => void;
  let reject: (error: Error) => void;
  const ready = new Promise<void>((settle) => {
    becomeReady = settle;
  });
  const report = new Promise<GeneratorReport>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  worker.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'ready':
        becomeReady();
        break;
      case 'paused':
        onPaused();
        break;
      case 'update':
        events.onUpdate(message.update);
        break;
      case 'report':
        resolve(message.report);
        break;
    }
  });
  worker.once('error', (error) => reject(generatorFailed(error.message)));
  worker.once('exit', () => reject(generatorFailed('its thread ended before its report')));
  return {
    ready: Promise.race([ready, report.then(() => undefined)]),
    start: (startNs) => tell({ kind: 'start', startNs }),
    setToken: (token) => tell({ kind: 'token', accessToken: token }),
    pause: () => {
      const paused = new Promise<void>((settle) => {
        onPaused = settle;
      });
      tell({ kind: 'pause' });
      return Promise.race([paused, report.then(() => undefined)]);
    },
    resume: (token) => tell({ kind: 'resume', accessToken: token }),
    abort: () => tell({ kind: 'abort' }),
    report,
  };
}

function generatorFailed(why: string): FareproofError {
  return new FareproofError(
    'GENERATOR_FAILED',
    `A generator of the load run failed (${why}); please report it.`,
  );
}
