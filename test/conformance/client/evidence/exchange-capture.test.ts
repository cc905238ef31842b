import { expect, it } from 'vitest';
import { salvageRequest } from '../../../../src/conformance/client/evidence/exchange-capture.ts';

it('recovers a request line with a space in its query', () => {
  const bytes = Buffer.from('GET /v1/estimates/prices?from_name=a b HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(salvageRequest(bytes, 5)).toMatchObject({
    method: 'GET',
    target: '/v1/estimates/prices?from_name=a b',
    headers: { host: 'x' },
  });
  expect(salvageRequest(Buffer.from('\x16\x03\x01'), 5)).toMatchObject({ method: '', target: '' });
});
