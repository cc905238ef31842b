import { expect, it } from 'vitest';
import { RequestInHand } from '../../../src/server/faults/request-in-hand.ts';

type Request = Parameters<RequestInHand['take']>[1];

/** A request in hand, of which nothing was read yet. */
function inHand(endpoint: 'token' | 'estimate', request: object): RequestInHand {
  const one = new RequestInHand();
  one.take(endpoint, request as Request);
  return one;
}

const token = (body: string) => inHand('token', { body: Buffer.from(body) });

it('a field is read from the body of a token request, or the query of an estimate', () => {
  expect(token('{"scope":"public"}').text('scope')).toBe('public');
  expect(inHand('estimate', { rawQuery: 'imei=a%20b' }).text('imei')).toBe('a b');
});

it('a field that is left out, no text, or not readable is empty', () => {
  for (const body of ['{}', '{"scope":7}', 'null', 'no JSON', '']) {
    expect(token(body).text('scope')).toBe('');
  }
});

it('the next request has fields of its own', () => {
  const one = token('{"scope":"public"}');
  expect(one.text('scope')).toBe('public');
  one.take('token', { body: Buffer.from('{"scope":"rides.read"}') } as unknown as Request);
  expect(one.text('scope')).toBe('rides.read');
  expect(one.counts).toEqual({ token: 2, estimate: 0 });
});

it('an estimate with the header of a user is a signed one', () => {
  const signed = (authorization: string) => inHand('estimate', { authorization }).isSignedEstimate;
  expect(signed('Bearer p|sign openid|access')).toBe(true);
  expect(signed('Bearer p|access')).toBe(false);
});
