import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { workerData } from 'node:worker_threads';

const { isAnswered, port } = workerData;
const agent = new Agent({ keepAlive: true });

port.on(
  'message',
  async (/** @type {{ url: string, headers: Record<string, string> }} */ request) => {
    port.postMessage(await send(request).catch(() => ({ status: 0, body: '' })));
    Atomics.store(isAnswered, 0, 1);
    Atomics.notify(isAnswered, 0);
  },
);

/** @param {{ url: string, headers: Record<string, string> }} request */
function send({ url, headers }) {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    }).on('error', reject);
  });
}
