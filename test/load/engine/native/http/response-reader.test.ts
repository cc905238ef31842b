import { describe, expect, it } from 'vitest';
import { ResponseReader } from '../../../../../src/load/engine/native/http/response-reader.ts';
import fc from '../../../../support/property.ts';

interface Outcome {
  /** Status and body of each complete answer. */
  answers: { status: number; body: string; keepAlive: boolean }[];
  failure: string | null;
}

/** Reads all answers from pieces, as a connection does, and then the end of the connection. */
function readAll(pieces: readonly Buffer[], ended = true): Outcome {
  const reader = new ResponseReader();
  const answers: Outcome['answers'] = [];
  const take = (): void => {
    const { status, keepAlive } = reader.head;
    answers.push({ status, keepAlive, body: reader.takeBody().toString('latin1') });
    reader.reset();
    reader.capture = true;
  };
  reader.capture = true;
  for (const piece of pieces) {
    let at = 0;
    while (at < piece.length && reader.failure === null) {
      at = reader.read(piece, at, piece.length);
      if (reader.complete) take();
    }
    if (reader.failure !== null) return { answers, failure: reader.failure };
  }
  if (!ended) return { answers, failure: reader.failure };
  if (reader.began) {
    reader.end();
    if (reader.complete) take();
  }
  return { answers, failure: reader.failure };
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const read = (text: string): Outcome => readAll([bytes(text)]);

function split(whole: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => whole.subarray(from, at[index] ?? whole.length));
}

const OK = 'HTTP/1.1 200 OK\r\n';

const GOOD: Record<string, [string, Outcome['answers']]> = {
  'Content-Length': [
    `${OK}Content-Length: 5\r\n\r\nhello`,
    [{ status: 200, body: 'hello', keepAlive: true }],
  ],
  'any header case and blanks': [
    `${OK}cOnTeNt-LeNgTh: \t 5 \t \r\n\r\nhello`,
    [{ status: 200, body: 'hello', keepAlive: true }],
  ],
  'a length after a tab': [
    `${OK}Content-Length:\t5\r\n\r\nhello`,
    [{ status: 200, body: 'hello', keepAlive: true }],
  ],
  'an empty body': [`${OK}Content-Length: 0\r\n\r\n`, [{ status: 200, body: '', keepAlive: true }]],
  'no reason phrase': [
    'HTTP/1.1 503\r\nContent-Length: 0\r\n\r\n',
    [{ status: 503, body: '', keepAlive: true }],
  ],
  chunked: [
    `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n00A;x="y"\r\n, wide wor\r\n2\r\nld\r\n0\r\nTrailer: x\r\n\r\n`,
    [{ status: 200, body: 'hello, wide world', keepAlive: true }],
  ],
  'until close': [
    `${OK}X: y\r\n\r\nall there is`,
    [{ status: 200, body: 'all there is', keepAlive: false }],
  ],
  'interim answers': [
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${OK}Content-Length: 2\r\n\r\nok`,
    [{ status: 200, body: 'ok', keepAlive: true }],
  ],
  '204 and 304 without a body': [
    `HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\nHTTP/1.1 304 Not Modified\r\n\r\n`,
    [
      { status: 204, body: '', keepAlive: true },
      { status: 304, body: '', keepAlive: true },
    ],
  ],
  'Connection: close': [
    `${OK}Connection: close\r\nContent-Length: 2\r\n\r\nok`,
    [{ status: 200, body: 'ok', keepAlive: false }],
  ],
  'HTTP/1.0, kept and not kept': [
    'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\naHTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nb',
    [
      { status: 200, body: 'a', keepAlive: true },
      { status: 200, body: 'b', keepAlive: false },
    ],
  ],
  'one after the other': [
    `${OK}Content-Length: 1\r\n\r\na${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n${OK}Content-Length: 1\r\n\r\nc`,
    [
      { status: 200, body: 'a', keepAlive: true },
      { status: 200, body: 'b', keepAlive: true },
      { status: 200, body: 'c', keepAlive: true },
    ],
  ],
};

const BAD: Record<string, [string, string]> = {
  'another protocol': ['SSH-2.0-OpenSSH_9.2\r\n', 'malformed-status-line'],
  'HTTP/2 in clear': ['HTTP/2.0 200 OK\r\n\r\n', 'malformed-status-line'],
  'a status of two digits': ['HTTP/1.1 20 OK\r\n\r\n', 'malformed-status-line'],
  'a status of four digits': ['HTTP/1.1 2000 OK\r\n\r\n', 'malformed-status-line'],
  'a status below 100': ['HTTP/1.1 099 OK\r\n\r\n', 'malformed-status-line'],
  'lines that end in LF alone': ['HTTP/1.1 200 OK\nContent-Length: 0\n\n', 'malformed-status-line'],
  'a header without a colon': [`${OK}Content-Length\r\n\r\n`, 'malformed-header'],
  'a blank before the colon': [`${OK}Content-Length : 5\r\n\r\nhello`, 'malformed-header'],
  'a folded header': [`${OK}X: a\r\n b\r\n\r\n`, 'malformed-header'],
  'a NUL in a header': [`${OK}X: a\0b\r\n\r\n`, 'malformed-header'],
  'a bare CR in a header': [`${OK}X: a\rb\r\n\r\n`, 'malformed-header'],
  'two lengths': [`${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, 'conflicting-length'],
  'a length that is none': [`${OK}Content-Length: five\r\n\r\nhello`, 'conflicting-length'],
  'a negative length': [`${OK}Content-Length: -1\r\n\r\n`, 'conflicting-length'],
  'a length and chunks': [
    `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'conflicting-length',
  ],
  'another coding': [
    `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    'unsupported-transfer-encoding',
  ],
  'a chunk size that is none': [
    `${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`,
    'malformed-chunk',
  ],
  'an endless chunk size': [
    `${OK}Transfer-Encoding: chunked\r\n\r\n1234567890123\r\n`,
    'malformed-chunk',
  ],
  'a chunk longer than it says': [
    `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n`,
    'malformed-chunk',
  ],
  'an upgrade': ['HTTP/1.1 101 Switching Protocols\r\n\r\n', 'unexpected-upgrade'],
  'endless interim answers': ['HTTP/1.1 100 Continue\r\n\r\n'.repeat(40), 'too-many-interim'],
  'an endless head': [`${OK}X: ${'y'.repeat(70_000)}`, 'head-too-long'],
  'an endless chunk extension': [
    `${OK}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}`,
    'malformed-chunk',
  ],
  'an end in the head': [`${OK}Content-Le`, 'closed-mid-answer'],
  'an end in the body': [`${OK}Content-Length: 5\r\n\r\nhell`, 'closed-mid-answer'],
  'an end in a chunk': [`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`, 'closed-mid-answer'],
};

describe('ResponseReader', () => {
  it.each(Object.entries(GOOD))('reads %s', (_name, [text, answers]) => {
    expect(read(text)).toEqual({ answers, failure: null });
  });

  it.each(Object.entries(BAD))('names the failure of %s', (_name, [text, failure]) => {
    expect(read(text)).toMatchObject({ failure });
  });

  it('reads the same, whole or byte by byte', () => {
    const texts = [...Object.values(GOOD), ...Object.values(BAD)].map(([text]) => text);
    for (const text of texts.filter(({ length }) => length < 5_000)) {
      const single = Array.from(bytes(text), (byte) => Buffer.of(byte));
      expect(readAll(single)).toEqual(read(text));
    }
  });

  it('reads the same wherever it is split', () => {
    const texts = [...Object.values(GOOD), ...Object.values(BAD)].map(([text]) => text);
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(fc.nat(80_000), { maxLength: 8 }),
        (text, cuts) => {
          expect(readAll(split(bytes(text), cuts))).toEqual(read(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('reads any body, by length or in chunks, wherever it is split', () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 6 });
    fc.assert(
      fc.property(
        chunks,
        fc.boolean(),
        fc.array(fc.nat(5000), { maxLength: 10 }),
        (data, chunked, cuts) => {
          const body = Buffer.concat(data);
          const whole = chunked
            ? Buffer.concat([
                bytes(`${OK}Transfer-Encoding: chunked\r\n\r\n`),
                ...data.flatMap((chunk) => [
                  bytes(`${chunk.length.toString(16)}\r\n`),
                  chunk,
                  bytes('\r\n'),
                ]),
                bytes('0\r\n\r\n'),
              ])
            : Buffer.concat([bytes(`${OK}Content-Length: ${body.length}\r\n\r\n`), body]);
          expect(readAll(split(whole, cuts), false)).toEqual({
            answers: [{ status: 200, body: body.toString('latin1'), keepAlive: true }],
            failure: null,
          });
        },
      ),
    );
  });

  it('turns any bytes into an answer or a named failure, and never throws', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc
        .tuple(fc.constantFrom(...Object.values(GOOD)), fc.nat(), fc.nat(255))
        .map(([[text], at, byte]) => {
          const spoiled = bytes(text);
          spoiled[at % spoiled.length] = byte;
          return spoiled;
        }),
    );
    fc.assert(
      fc.property(noise, fc.array(fc.nat(400), { maxLength: 5 }), (data, cuts) => {
        const whole = Buffer.from(data);
        expect(readAll(split(whole, cuts))).toEqual(readAll([whole]));
      }),
      { numRuns: 1000 },
    );
  });

  it('reads how long the server keeps an idle connection', () => {
    const reader = new ResponseReader();
    const head = bytes(`${OK}Keep-Alive: timeout=5, max=100\r\nContent-Length: 0\r\n\r\n`);
    reader.read(head, 0, head.length);
    expect(reader.head.keepAliveTimeoutS).toBe(5);
  });

  it('parses a head of many single bytes in linear time', () => {
    const reader = new ResponseReader();
    const text = bytes(`${OK}${'X-Filler: y\r\n'.repeat(4900)}`);
    for (const byte of text) reader.read(Buffer.of(byte), 0, 1);
    expect(reader.failure).toBeNull();
    const rest = bytes('Content-Length: 0\r\n\r\n');
    expect(reader.read(rest, 0, rest.length)).toBe(rest.length);
    expect(reader.complete).toBe(true);
  });
});
