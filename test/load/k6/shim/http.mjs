import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { record, scenario } from './record.mjs';

/** Duration of every request: time passes by the scenarios only. */
const DURATION_MS = 1;
const LIMIT_MS = 60_000;

const isAnswered = new Int32Array(new SharedArrayBuffer(4));
const { port1: toSender, port2: port } = new MessageChannel();
const sender = new Worker(new URL('./sender.mjs', import.meta.url), {
  workerData: { isAnswered, port },
  transferList: [port],
});
sender.unref();
toSender.unref();

export default {
  expectedStatuses: (/** @type {number[]} */ ...statuses) => statuses,
  setResponseCallback() {},
  /**
   * Requests of k6 are synchronous: another thread sends this one.
   *
   * @param {string} url
   * @param {{ headers: Record<string, string>, responseType: string, tags: object, timeout: string, redirects: number }} params
   */
  get(url, { headers, responseType, tags, timeout, redirects }) {
    Atomics.store(isAnswered, 0, 0);
    toSender.postMessage({ url, headers });
    Atomics.wait(isAnswered, 0, 0, LIMIT_MS);
    const { status, body } = receiveMessageOnPort(toSender)?.message ?? { status: 0, body: '' };
    record.requests.push({
      scenario: scenario.name,
      status,
      responseType,
      tags,
      timeout,
      redirects,
    });
    return {
      status,
      timings: { duration: DURATION_MS },
      body: responseType === 'none' ? null : body,
    };
  },
};
