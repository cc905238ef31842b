import { expect, it } from 'vitest';
import { greeting } from '../../../../src/cli/commands/certify/listen.ts';
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
