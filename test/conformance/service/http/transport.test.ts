import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners, once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WireOutcome, WireRequest } from '../../../../src/conformance/service/http/message.ts';
import { openTransport } from '../../../../src/conformance/service/http/transport.ts';
import { standStill } from '../../../support/stand-still.ts';

const AMPLE_MS = 60_000;

/** Result of one request to such a server. */
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

describe('a kept connection', () => {
  const IDLE_MS = 50;

  it('is closed once it was idle, but not under a slow request', async () => {
    const closed: Promise<unknown>[] = [];
    const server = createServer({ keepAliveTimeout: AMPLE_MS }, (_request, response) => {
      setTimeout(() => response.end('[]'), 4 * IDLE_MS);
    });
    server.on('connection', (socket) => closed.push(once(socket, 'close')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const transport = openTransport({ timeoutMs: AMPLE_MS, idleMs: IDLE_MS });
    const post = { method: 'POST', url, headers: {}, body: null } as const;
    expect((await transport.send(post)).error).toBeNull();
    await closed[0];
    expect((await transport.send(post)).error).toBeNull();
    expect(closed).toHaveLength(2);
    await transport.close();
    server.close();
  });
});

describe('a deadline', () => {
  const { setTimeout: setRealTimeout } = globalThis;
  const HEAD_READ = 'http.client.response.finish';
  const pass = (ms: number): void => void vi.advanceTimersByTime(ms);
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => {
    unsubscribe(HEAD_READ, passOnceAnswered);
    vi.useRealTimers();
  });
  const passOnceAnswered = (): void => void setImmediate(() => pass(AMPLE_MS));

  it('ends an exchange that gets no answer', async () => {
    const { error } = await ask(() => pass(AMPLE_MS), AMPLE_MS);
    expect(error?.code).toBe('TIMEOUT');
  });

  it('ends an exchange whose answer does not end', async () => {
    subscribe(HEAD_READ, passOnceAnswered);
    const { error } = await ask((_request, response) => response.write('['), AMPLE_MS);
    expect(error?.code).toBe('TIMEOUT_MID_ANSWER');
  });

  /** Answers, and has time pass before the answer is read: timers come before reading. */
  const answerAndPass = (answer: ServerResponse, ms: number): void => {
    answer.end('[]');
    setRealTimeout(() => pass(ms), 1);
    standStill(2);
  };

  it('keeps an answer that arrived in time but was read late by a stalled process', async () => {
    const { response } = await ask((_, answer) => answerAndPass(answer, AMPLE_MS), AMPLE_MS);
    expect(response?.body).toBe('[]');
  });

  it('of an interruption keeps it too', async () => {
    const interruption = new AbortController();
    const { response } = await ask(
      (_request, answer) => {
        interruption.abort();
        answerAndPass(answer, 1_000);
      },
      AMPLE_MS,
      interruption.signal,
    );
    expect(response?.body).toBe('[]');
  });

  it('of an interruption ends an exchange that gets no answer', async () => {
    const interruption = new AbortController();
    const { error } = await ask(
      () => {
        interruption.abort();
        pass(1_000);
      },
      AMPLE_MS,
      interruption.signal,
    );
    expect(error?.code).toBe('INTERRUPTED');
  });
});

it('one listener waits for an interruption, however many requests are in flight', async () => {
  const interruption = new AbortController();
  const server = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const transport = openTransport({ timeoutMs: AMPLE_MS, signal: interruption.signal });
  const request = { method: 'GET', url, headers: {}, body: null, ownConnection: true };
  const racing = Array.from({ length: 30 }, () => transport.send(request));
  expect(getEventListeners(interruption.signal, 'abort')).toHaveLength(1);
  const outcomes = await Promise.all(racing);
  expect(outcomes.map(({ response }) => response?.status)).toEqual(outcomes.map(() => 200));
  await transport.close();
  expect(getEventListeners(interruption.signal, 'abort')).toHaveLength(0);
  server.close();
});

describe('an answer', () => {
  const switching: RequestListener = (_request, response) => {
    response.socket?.end(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    );
  };
  const interim = (head: string): RequestListener => {
    return (_request, response) => {
      response.socket?.write(head);
      response.end('[]');
    };
  };

  it.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['several of them', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)],
    ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'],
  ])('is read past %s that nobody asked for', async (_name, head) => {
    const { response } = await ask(interim(head), AMPLE_MS);
    expect(response).toMatchObject({ status: 200, body: '[]' });
  });

  it.each([
    ['a chunk whose extension does not end', `5;${'e'.repeat(50_000)}`],
    ['trailers that do not end', `1\r\nx\r\n0\r\n${'X-A: b\r\n'.repeat(5_000)}`],
  ])('of %s is malformed, though its head was read', async (_name, rest) => {
    const { error } = await ask((_request, response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${rest}`);
    }, AMPLE_MS);
    expect(error?.code).toBe('HTTP_MALFORMED');
  });

  it('that comes byte by byte is read whole', async () => {
    const { response } = await ask((_request, answer) => {
      const body = '1\r\nx\r\n'.repeat(5_000);
      answer.socket?.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`);
    }, AMPLE_MS);
    expect(response).toMatchObject({ body: 'x'.repeat(5_000), truncated: false });
  });

  it('that comes in more pieces than any service sends is cut', async () => {
    const { response } = await ask((_request, answer) => {
      const body = '1\r\nx\r\n'.repeat(50_000);
      answer.socket?.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`);
    }, AMPLE_MS);
    expect(response).toMatchObject({ body: 'x'.repeat(16_385), truncated: true });
  });

  it.each(['\t', ' \t', ''])('has its length after %j', async (blank) => {
    const { response } = await ask((_request, answer) => {
      answer.socket?.end(`HTTP/1.1 200 OK\r\nContent-Length:${blank}2\r\n\r\n[]`);
    }, AMPLE_MS);
    expect(response?.body).toBe('[]');
  });

  it('that switches protocols is an error', async () => {
    const { error } = await ask(switching, AMPLE_MS);
    expect(error?.code).toBe('CONNECTION_BROKEN');
  });

  it('has lower-case header names, with repeated ones joined', async () => {
    const { response } = await ask((_request, answer) => {
      answer.setHeader('X-Several', ['a', 'b']);
      answer.end();
    }, AMPLE_MS);
    expect(response?.headers['x-several']).toBe('a, b');
  });
});

const GET = { method: 'GET', headers: {}, body: null } as const;

/** Sends requests in turn to such a server; returns outcomes, and the number of connections. */
async function askInTurn(
  handle: RequestListener,
  requests: readonly Omit<WireRequest, 'url'>[],
): Promise<{ readonly outcomes: readonly WireOutcome[]; readonly connections: number }> {
  const server = createServer({ keepAliveTimeout: AMPLE_MS }, handle);
  let connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const transport = openTransport({ timeoutMs: AMPLE_MS });
  const outcomes: WireOutcome[] = [];
  for (const request of requests) outcomes.push(await transport.send({ ...request, url }));
  await transport.close();
  server.closeAllConnections();
  server.close();
  return { outcomes, connections };
}

it('requests apart share connections whose requests were all accepted', async () => {
  const ports = new Map<number | undefined, number>();
  const used: number[] = [];
  const handle: RequestListener = ({ headers, socket: { remotePort } }, response) => {
    ports.set(remotePort, ports.get(remotePort) ?? ports.size + 1);
    used.push(ports.get(remotePort) ?? 0);
    response.statusCode = headers['x-refused'] ? 401 : 200;
    response.end('[]');
  };
  const right = { ...GET, apart: 'unspoiled' } as const;
  const refused = { ...right, headers: { 'x-refused': '1' } };
  await askInTurn(handle, [right, right, GET, right, refused, right, right, GET]);
  expect(used).toEqual([1, 1, 2, 1, 1, 3, 3, 2]);
});

describe('a GET on a connection that the target closes', () => {
  /** Handles the nth request in its own way, and answers the others. */
  const closing = (nth: number, act: (response: ServerResponse) => void) => {
    const seen: number[] = [];
    const handle: RequestListener = (_request, response) => {
      seen.push(seen.length + 1);
      if (seen.length === nth) act(response);
      else response.end('[]');
    };
    return { handle, seen };
  };
  const close408 = (response: ServerResponse): void => {
    response.writeHead(408, { connection: 'close' }).end();
  };

  it.each<[string, (response: ServerResponse) => void]>([
    ['an end', (response) => response.socket?.end()],
    ['a reset', (response) => response.socket?.resetAndDestroy()],
    ['a 408', close408],
  ])('that was kept, by %s, is sent again once on another', async (_how, act) => {
    for (const get of [GET, { ...GET, connection: 'own' }]) {
      const { handle, seen } = closing(2, act);
      const { outcomes, connections } = await askInTurn(handle, [get, get, get]);
      expect(outcomes.map(({ response }) => response?.status)).toEqual([200, 200, 200]);
      expect(seen).toHaveLength(4);
      expect(connections).toBeGreaterThan(1);
    }
  });

  it.each<[string, number, (response: ServerResponse) => void, number | string]>([
    ['that was new', 1, (response) => response.socket?.end(), 'CONNECTION_BROKEN'],
    ['that was new, with a 408', 1, close408, 408],
    ['within its answer', 2, (response) => response.socket?.end('HTTP/1.1 2'), 'CONNECTION_BROKEN'],
    [
      'with a refusal',
      2,
      (response) => response.writeHead(503, { connection: 'close' }).end(),
      503,
    ],
    ['after all, with a 408', 2, (response) => response.writeHead(408).end(), 408],
  ])('%s is not sent again', async (_how, nth, act, expected) => {
    // The second by node:http alone.
    for (const get of [GET, { ...GET, connection: 'own' }]) {
      const { handle, seen } = closing(nth, act);
      const { outcomes } = await askInTurn(handle, [get, get].slice(0, nth));
      const { response, error } = outcomes[nth - 1]!;
      expect(response?.status ?? error?.code).toBe(expected);
      expect(seen).toHaveLength(nth);
    }
  });

  it('fails if the other one is closed too', async () => {
    let count = 0;
    const handle: RequestListener = (request, response) => {
      if (++count === 1) response.end('[]');
      else request.socket.destroy();
    };
    const { outcomes } = await askInTurn(handle, [GET, GET]);
    expect(outcomes[1]?.error?.code).toBe('CONNECTION_BROKEN');
    expect(count).toBe(3);
  });
});

it.each<[string, RequestListener]>([
  ['breaks', ({ socket }) => socket.destroy()],
  [
    'is closed with a 408',
    (_request, response) => response.writeHead(408, { connection: 'close' }).end(),
  ],
])('sends no other request again whose kept connection %s', async (how, end) => {
  let posts = 0;
  const handle: RequestListener = (request, response) => {
    if (request.method !== 'POST') response.end('[]');
    else if (++posts === 1) end(request, response);
    else response.end('[]');
  };
  const POST = { method: 'POST', headers: {}, body: '{}' } as const;
  const { outcomes, connections } = await askInTurn(handle, [GET, GET, POST]);
  expect({ posts, connections }).toEqual({ posts: 1, connections: 1 });
  const { error, response } = outcomes[2]!;
  expect(error?.code ?? response?.status).toBe(how === 'breaks' ? 'CONNECTION_BROKEN' : 408);
});

describe('a token request that may use a kept connection', () => {
  const POST = {
    method: 'POST',
    headers: {},
    body: '{}',
    ownConnection: true,
    mayBeKept: true,
  } as const;

  const kept = Array.from({ length: 6 }, () => GET);
  const answer: RequestListener = (_request, response) => response.end('[]');

  it('uses one of its own until connections were seen to be kept', async () => {
    const { connections } = await askInTurn(answer, [GET, GET, POST, POST]);
    expect(connections).toBe(3);
  });

  it('uses a kept one afterwards', async () => {
    const { connections } = await askInTurn(answer, [...kept, POST, POST]);
    expect(connections).toBe(1);
  });

  it('is sent again if that is closed, and then uses connections of its own', async () => {
    let posts = 0;
    const handle: RequestListener = (request, response) => {
      if (request.method === 'POST' && ++posts === 1) request.socket.destroy();
      else response.end('[]');
    };
    const requests = [...kept, POST, POST, POST];
    const { outcomes, connections } = await askInTurn(handle, requests);
    expect(outcomes.map(({ error }) => error)).toEqual(requests.map(() => null));
    expect({ posts, connections }).toEqual({ posts: 4, connections: 4 });
  });
});
