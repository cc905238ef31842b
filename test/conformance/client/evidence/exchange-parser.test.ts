import { expect, it } from 'vitest';
import {
  ExchangeParser,
  parseAnswer,
} from '../../../../src/conformance/client/evidence/exchange-parser.ts';
import { ALL_FIELDS } from '../../../../src/conformance/signature/signing-context.ts';
import { LOOPBACK_TLS } from '../../../support/loopback-certificate.ts';
import fc from '../../../support/property.ts';

it('parses any answer', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
      const { estimateIds } = parseAnswer(body);
      expect(Array.isArray(estimateIds)).toBe(true);
    }),
  );
});

it('hides each secret of the profile that a proxy forwards to', () => {
  const parser = new ExchangeParser({
    partners: [{ id: 'p', signingKey: 'k3y1' }],
    profile: {
      headers: { 'X-Api-Key': 'h3d1' },
      control: { url: 'http://127.0.0.1:9100', token: 'c0n1' },
      tls: { key: LOOPBACK_TLS.key },
    },
    baseUrlOf: () => 'http://x',
    signedFields: ALL_FIELDS,
  });
  const line = LOOPBACK_TLS.key.split('\n')[2] ?? '';
  expect(parser.redactPieces([{ stream: 'stdout', text: `k3y1 h3d1 c0n1 ${line}` }])).toBe(
    '[signing_key p] [header 1] [control_token 1] [signing_key tls]',
  );
});

it('reports little of a body that is nested deeply', { tags: ['long'] }, () => {
  const partners = [{ id: 'p', signingKey: 'k' }];
  const parser = new ExchangeParser({
    partners,
    baseUrlOf: () => 'http://x',
    signedFields: ALL_FIELDS,
  });
  const body = `{"grant_type":"client_credentials","x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  const exchange = parser.parse({
    scenario: null,
    sender: 'client',
    stimuli: [],
    request: {
      method: 'POST',
      target: '/v1/oauth/token',
      headers: { authorization: `Bearer p|${'0'.repeat(32)}`, 'content-type': 'application/json' },
      body: Buffer.from(body),
      receivedMs: 0,
    },
    answer: { status: 400, headers: {}, body: '' },
    finishedMs: 0,
  });
  expect(exchange.observed.token).toMatchObject({ body: 'json' });
  expect(JSON.stringify(exchange, null, 2).length).toBeLessThan(50_000);
});
