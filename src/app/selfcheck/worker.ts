import { parentPort } from 'node:worker_threads';
import { judgeTask, type Task } from './sides.ts';

/** A thread of `selfcheck`: judges one {@link Task} after the other. */
parentPort?.on('message', (task: Task) => {
  void judgeTask(task).then((answer) => parentPort?.postMessage(answer));
});
