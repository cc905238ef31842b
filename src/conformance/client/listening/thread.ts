import { parentPort } from 'node:worker_threads';
import { Listeners, type Question } from './listeners.ts';

/** Runs in a worker thread: judges requests one after the other. */
const listeners = new Listeners();

parentPort?.on('message', (question: Question) => {
  parentPort?.postMessage(listeners.answer(question));
});
