import { describe, expect, it } from 'vitest';
import { greeting, requestLines } from '../../../../src/cli/commands/certify/listen.ts';
import type { ProfilePartner } from '../../../../src/interface/index.ts';

const PARTNER: ProfilePartner = {
  id: 'partner-1',
  signingKey: 'key-1',
  use: 'general',
  authCodes: ['code-1', 'code-2', 'code-3'],
};

it('a client that is listened to gets the address, a partner, its key and each code once', () => {
  const text = greeting('http://localhost:8080', [PARTNER], null).join('\n');
  for (const [name, value] of [
    ['BASE_URL', 'http://localhost:8080'],
    ['PARTNER_ID', 'partner-1'],
    ['SIGNING_KEY', 'key-1'],
    ['AUTH_CODE', 'code-1'],
  ])
    expect(text).toMatch(new RegExp(`^  FAREPROOF_${name}=${value}( |$)`, 'm'));
  expect(text).toContain('more: code-2 code-3)');
});

it('a client of another server is told where to point, and gets no key', () => {
  const text = greeting('http://localhost:8080', [PARTNER], 'https://rides.example').join('\n');
  expect(text).toContain('http://localhost:8080 in place of https://rides.example');
  expect(text).toContain('keys of partner-1');
  expect(text).not.toContain('key-1');
});

describe('a request of a client that is listened to', () => {
  type Judged = Parameters<typeof requestLines>[0];
  const linesOf = (status: number, signature: object, broken: Judged['broken'] = []): string[] => {
    const request = { receivedMs: 0, id: 'x1', method: 'POST', path: '/token', signature };
    const judged = { request: { ...request, answer: { status } }, broken } as unknown as Judged;
    return requestLines(judged, false);
  };

  it('is ok where it breaks no rule', () => {
    const signature = { verdict: 'right' };
    expect(linesOf(200, signature)).toEqual(['00:00:00.000 x1 POST /token 200 ok']);
  });

  it.each([
    [401, true],
    [200, false],
  ])('names the gap for which its right signature got status %i: %s', (status, isNamed) => {
    const [first, second] = linesOf(status, { verdict: 'right', gaps: ['whitespace-trimmed'] });
    expect(first?.endsWith(' ok')).toBe(!isNamed);
    expect(second?.includes('under another answer to whitespace-trimmed')).toBe(
      isNamed || undefined,
    );
  });

  it('names the rules that it breaks', () => {
    const broken = [{ rule: 'a/b', level: 'must', expected: 'this', got: 'that' }] as const;
    expect(linesOf(401, { verdict: 'wrong' }, broken as unknown as Judged['broken'])).toEqual([
      '00:00:00.000 x1 POST /token 401 ',
      '  FAIL a/b: that',
      '       expected: this',
    ]);
  });
});
