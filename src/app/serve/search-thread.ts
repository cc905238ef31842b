import { parentPort } from 'node:worker_threads';
import { namedMistakes, type SearchQuestion } from './mistake-search.ts';

/** A thread that answers one {@link SearchQuestion} after the other. */
parentPort?.on('message', (question: SearchQuestion) => {
  parentPort?.postMessage(namedMistakes(question));
});
