import { expect, it } from 'vitest';
import type { Target } from '../../../../src/conformance/service/contract/target.ts';
import type { WireOutcome, WireRequest } from '../../../../src/conformance/service/http/message.ts';
import { requireReachable } from '../../../../src/conformance/service/wire/reachability.ts';
import type { TransportFailure } from '../../../../src/interface/connection-failure.ts';

const TARGET = {
  baseUrl: 'http://x/api',
  headers: { 'x-api-key': 'k' },
} as unknown as Target;

/** Sends the probes to a target that fails with these codes in order, and answers after that. */
async function probe(...codes: readonly string[]) {
  const sent: WireRequest[] = [];
  const send = (request: WireRequest): Promise<WireOutcome> => {
    const code = codes[sent.push(request) - 1];
    const error = code === undefined ? null : ({ code, message: 'so' } as TransportFailure);
    return Promise.resolve({ error } as WireOutcome);
  };
  const refused = await requireReachable(TARGET, send).then(
    () => null,
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );
  return { sent, refused };
}

it('asks for an estimate, a token and an authorized estimate, each as the profile asks', async () => {
  const { sent, refused } = await probe('TIMEOUT', 'CONNECTION_BROKEN', 'TIMEOUT');
  const headers = TARGET.headers;
  const authorized = { ...headers, authorization: 'Bearer nobody|unknown-token' };
  expect(sent).toMatchObject([
    { method: 'GET', url: 'http://x/api/v1/estimates/prices', headers, body: null },
    { method: 'POST', url: 'http://x/api/v1/oauth/token', headers, body: '' },
    { method: 'GET', url: 'http://x/api/v1/estimates/prices', headers: authorized },
  ]);
  expect(sent.every(({ ownConnection }) => ownConnection)).toBe(true);
  expect(refused).toMatch(/^TARGET_UNREACHABLE: http:\/\/x\/api does not answer: so \(TIMEOUT\)/);
});

it.each([
  [[], 1, true],
  [['TIMEOUT'], 2, true],
  [['TIMEOUT', 'CONNECTION_BROKEN'], 3, true],
  // A target that answers, however wrongly, is there.
  [['RESPONSE_MALFORMED'], 1, true],
  [['TIMEOUT', 'RESPONSE_MALFORMED'], 2, true],
  // Where no connection is had, no other request is answered either.
  [['CONNECT_REFUSED'], 1, false],
])(
  'after the failures %j, %d requests were sent, and it is there: %s',
  async (codes, count, is) => {
    const { sent, refused } = await probe(...codes);
    expect({ count: sent.length, is: refused === null }).toEqual({ count, is });
  },
);
