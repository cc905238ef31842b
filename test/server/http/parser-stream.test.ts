import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ParserStream } from '../../../src/server/http/parser-stream.ts';
import { until } from '../../support/until.ts';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A stream before a socket, the requests that the parser found on it, and the other end of the socket. */
interface Parsed {
  stream: ParserStream;
  socket: Socket;
  client: Socket;
  exchanges: { request: IncomingMessage; response: ServerResponse }[];
}

/** Parses requests of one connection; the test answers them. */
async function parse(): Promise<Parsed> {
  const exchanges: Parsed['exchanges'] = [];
  const http: Server = createServer((request, response) => {
    exchanges.push({ request, response });
    stream.begin(request, response);
  });
  const tcp = createTcpServer({ allowHalfOpen: true });
  const accepted = new Promise<Socket>((resolve) => tcp.once('connection', resolve));
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as { port: number };
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const socket = await accepted;
  const stream: ParserStream = new ParserStream(socket, (duplex) =>
    http.emit('connection', duplex),
  );
  closing.push(() => {
    client.destroy();
    socket.destroy();
    tcp.close();
    http.close();
  });
  return { stream, socket, client, exchanges };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n';

async function feed({ stream }: Parsed, text: string): Promise<void> {
  stream.feed(Buffer.from(text));
  await turn();
}

describe('a stream before the parser', () => {
  it('is at rest once the answer is with the socket', async () => {
    const parsed = await parse();
    expect(parsed.stream.isAtRest).toBe(false);
    await feed(parsed, GET);
    expect(parsed.stream.isAtRest).toBe(false);
    parsed.exchanges[0]!.response.end('a');
    await turn();
    expect(parsed.stream.isAtRest).toBe(true);
  });

  it('is at rest once all answers are with the socket', async () => {
    const parsed = await parse();
    await feed(parsed, GET);
    await feed(parsed, GET);
    expect(parsed.exchanges).toHaveLength(2);
    parsed.exchanges[1]!.response.end('b');
    await turn();
    expect(parsed.stream.isAtRest).toBe(false);
    parsed.exchanges[0]!.response.end('a');
    await turn();
    expect(parsed.stream.isAtRest).toBe(true);
  });

  it('is not at rest before the body, even if it is answered', async () => {
    const parsed = await parse();
    await feed(parsed, POST);
    parsed.exchanges[0]!.request.resume();
    parsed.exchanges[0]!.response.end('a');
    await feed(parsed, '{');
    expect(parsed.stream.isAtRest).toBe(false);
    await feed(parsed, '}');
    expect(parsed.stream.isAtRest).toBe(true);
  });

  it.each(['G', GET.slice(0, -1), '\r\n', POST])(
    'is not at rest with bytes behind a request: %j',
    async (bytes) => {
      const parsed = await parse();
      await feed(parsed, GET + bytes);
      parsed.exchanges[0]!.response.end('a');
      await turn();
      expect(parsed.stream.isAtRest).toBe(false);
    },
  );

  it('is not at rest with bytes that the parser has not read', async () => {
    const parsed = await parse();
    await feed(parsed, GET);
    parsed.exchanges[0]!.response.end('a');
    await turn();
    parsed.stream.pause();
    await feed(parsed, GET);
    expect(parsed.stream.isAtRest).toBe(false);
    parsed.stream.resume();
    await turn();
    parsed.exchanges[1]!.response.end('b');
    await turn();
    expect(parsed.stream.isAtRest).toBe(true);
  });

  it('is not at rest once its answer closes the connection', async () => {
    const parsed = await parse();
    await feed(parsed, GET);
    parsed.exchanges[0]!.response.setHeader('Connection', 'close').end('a');
    await turn();
    expect(parsed.stream.isAtRest).toBe(false);
    await until(() => parsed.socket.destroyed);
  });

  it('is not at rest while the client does not read', async () => {
    const parsed = await parse();
    await feed(parsed, GET);
    const body = Buffer.alloc(20_000_000, 'x');
    parsed.exchanges[0]!.response.end(body);
    await turn();
    expect(parsed.stream.isAtRest).toBe(false);
    let received = 0;
    parsed.client.on('data', (chunk: Buffer) => (received += chunk.length));
    await until(() => received > body.length);
    await turn();
    expect(parsed.stream.isAtRest).toBe(true);
  });

  it('has its socket pause while a body is not read, and resumes it', async () => {
    const parsed = await parse();
    const { stream, socket } = parsed;
    await feed(parsed, POST.replace('2', '200000'));
    let isFull = false;
    for (let sent = 0; sent < 10; sent++) {
      if (stream.feed(Buffer.alloc(20_000))) continue;
      isFull = true;
      socket.pause();
    }
    expect(isFull).toBe(true);
    parsed.exchanges[0]!.request.resume();
    await until(() => parsed.exchanges[0]!.request.complete);
    expect(socket.isPaused()).toBe(false);
    parsed.exchanges[0]!.response.end('a');
    await turn();
    expect(stream.isAtRest).toBe(true);
  });

  it('closes the connection only after everything is written', async () => {
    const parsed = await parse();
    await feed(parsed, GET);
    let received = 0;
    parsed.exchanges[0]!.response.end(Buffer.alloc(20_000_000, 'x'));
    await turn();
    parsed.stream.destroySoon();
    parsed.client.on('data', (chunk: Buffer) => (received += chunk.length));
    await until(() => parsed.socket.destroyed);
    await until(() => parsed.client.readableEnded);
    expect(received).toBeGreaterThan(20_000_000);
  });

  it('lets its socket write everything when it is destroyed', async () => {
    const { stream, socket, client } = await parse();
    socket.write(Buffer.alloc(20_000_000, 'x'));
    stream.destroy();
    let received = 0;
    client.on('data', (chunk: Buffer) => (received += chunk.length));
    await until(() => socket.destroyed);
    await until(() => client.readableEnded || client.destroyed);
    expect(received).toBe(20_000_000);
  });
});
