import { expect, it } from 'vitest';
import { ExchangeParser } from '../../../../src/conformance/client/evidence/exchange-parser.ts';
import type { CapturedExchange } from '../../../../src/conformance/client/traffic/captured.ts';
import { ALL_FIELDS } from '../../../../src/conformance/signature/signing-context.ts';

const BASE_URL = 'http://x';
const STORED_CHARACTERS = 16 * 1024;

const ANSWERED: CapturedExchange = {
  scenario: 'first',
  sender: 'client',
  stimuli: [],
  request: {
    method: 'GET',
    target: '/v1/estimates/prices?from_name=a',
    headers: { accept: 'text/k3y1' },
    body: Buffer.from(''),
    receivedMs: 1000,
  },
  answer: { status: 200, headers: { server: 'of k3y1' }, body: 'é of k3y1' },
  finishedMs: 1250,
};

/** Makes the record of an exchange that differs from one that is answered. */
function recordOf(
  changes: Partial<CapturedExchange>,
  request: Partial<CapturedExchange['request']> = {},
): ReturnType<ExchangeParser['parse']> {
  const parser = new ExchangeParser({
    partners: [{ id: 'p', signingKey: 'k3y1' }],
    baseUrlOf: () => BASE_URL,
    signedFields: ALL_FIELDS,
  });
  return parser.parse({ ...ANSWERED, ...changes, request: { ...ANSWERED.request, ...request } });
}

it('records an exchange without its secrets', () => {
  expect(recordOf({})).toMatchObject({
    purpose: 'first: estimate request',
    request: {
      method: 'GET',
      url: `${BASE_URL}/v1/estimates/prices?from_name=a`,
      headers: { accept: 'text/[signing_key p]' },
      body: null,
    },
    response: {
      status: 200,
      headers: { server: 'of [signing_key p]' },
      body: 'é of [signing_key p]',
      bodyBytes: Buffer.byteLength('é of k3y1'),
      truncated: false,
    },
    error: null,
    durationMs: 250,
  });
});

it('records the part of an answer that breaks off', () => {
  expect(recordOf({ finishedMs: null })).toMatchObject({
    response: { status: 200, body: 'é of [signing_key p]', truncated: true },
    error: { message: 'the connection ended before the last byte' },
    durationMs: 0,
  });
  expect(recordOf({ answer: null, finishedMs: null })).toMatchObject({
    response: null,
    error: { message: 'the connection ended before the response' },
  });
});

it('names the base URL once where a request names it too', () => {
  const target = 'http://elsewhere/v1/estimates/prices?from_name=a';
  expect(recordOf({}, { target }).request.url).toBe(`${BASE_URL}/v1/estimates/prices?from_name=a`);
});

it('cuts long bodies', () => {
  const body = 'x'.repeat(STORED_CHARACTERS + 1);
  const sent = { method: 'POST', target: '/v1/oauth/token', body: Buffer.from(body) };
  const long = recordOf({ answer: { status: 200, headers: {}, body } }, sent);
  const stored = body.slice(1);
  expect(long.request.body).toBe(stored);
  expect(long.response).toMatchObject({
    body: stored,
    bodyBytes: body.length,
    truncated: true,
  });
  const whole = recordOf({ answer: { status: 200, headers: {}, body: stored } });
  expect(whole.response).toMatchObject({ body: stored, truncated: false });
});

it('says who sent a request, and what it was answered with', () => {
  const body = Buffer.from('{"grant_type":"client_credentials"}');
  const token = { method: 'POST', target: '/v1/oauth/token', body };
  expect(recordOf({ scenario: null, sender: 'elsewhere' }, token).purpose).toBe(
    'listening: token request (client_credentials), sent by the scenario',
  );
  expect(recordOf({ stimuli: ['delay'] }, { target: '/else' }).purpose).toMatch(
    /^first: .*, answered with: delay$/,
  );
});
