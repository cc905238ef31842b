import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openTransport, type WireOutcome } from '../../src/conformance/engine/transport.ts';
import { standStill } from '../stand-still.ts';
import { undisturbed } from '../undisturbed.ts';

const AMPLE_MS = 60_000;
const SHORT_MS = 200;

/** What one request to such a server comes to. */
async function ask(
  handle: RequestListener,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<WireOutcome> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const transport = openTransport({ timeoutMs, signal });
  try {
    return await transport.send({ method: 'GET', url, headers: {}, body: null });
  } finally {
    await transport.close();
    server.closeAllConnections();
    server.close();
  }
}

describe('a deadline', () => {
  it('ends an exchange that gets no answer', async () => {
    const { error } = await ask(() => undefined, SHORT_MS);
    expect(error?.code).toBe('TIMEOUT');
  });

  it('ends an exchange whose answer does not end', async () => {
    await undisturbed(async () => {
      const { error } = await ask((_request, response) => response.write('['), SHORT_MS);
      expect(error?.code).toBe('TIMEOUT_MID_ANSWER');
    });
  });

  it('takes no answer away that came in time, and was not read for a stall of this process', async () => {
    await undisturbed(async () => {
      const { response } = await ask((_request, answer) => {
        answer.end('[]');
        standStill(2 * SHORT_MS);
      }, SHORT_MS);
      expect(response?.body).toBe('[]');
    });
  });

  it('of an interruption takes none away either', async () => {
    const interruption = new AbortController();
    const { response } = await ask(
      (_request, answer) => {
        interruption.abort();
        answer.end('[]');
        standStill(1_500);
      },
      AMPLE_MS,
      interruption.signal,
    );
    expect(response?.body).toBe('[]');
  });
});
