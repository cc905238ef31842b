import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../../clock.ts';
import { type GeneratorOrder, ServedGenerators } from '../../orders.ts';
import { prepareInline } from './inline.ts';
import type { ThreadData } from './thread.ts';

/** Entry of a generator's thread: its plan arrives as data, and its report leaves as data. */
const task = workerData as ThreadData;
const served = new ServedGenerators(task.generator, (word) => {
  parentPort?.postMessage(word);
  if (word.kind === 'report' || word.kind === 'failed') parentPort?.close();
});
const generator = await prepareInline({
  ...task,
  clock: systemClock(),
  onUpdate: (update) => served.update(task.generator, update),
});
parentPort?.on('message', (order: GeneratorOrder) => served.obey(order));
served.begin([generator]);
