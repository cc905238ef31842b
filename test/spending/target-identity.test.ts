import { expect, it } from 'vitest';
import { identityOf, originOf } from '../../src/spending/target-identity.ts';

it.each([
  [
    'http://localhost:8080',
    [
      'http://LOCALHOST:8080',
      'HTTP://localhost:8080/',
      'http://127.1:8080',
      'http://127.0.0.1:8080',
      'http://0x7f000001:8080',
      'http://127.8.9.10:8080',
      'http://[::1]:8080',
      'http://[0:0:0:0:0:0:0:1]:8080',
      'http://[::ffff:127.0.0.1]:8080',
      'http://0.0.0.0:8080',
      'http://localhost.:8080//',
      'http://api.localhost:8080',
      'http://localhost:8080/v1/..',
    ],
  ],
  [
    'https://api.example.org/rides',
    [
      'https://API.example.org/rides',
      'https://api.example.org:443/rides',
      'https://api.example.org./rides/',
      'https://api.example.org//rides//',
      'https://api.example.org/./x/../rides',
      'https://api.example.org/%72ides',
    ],
  ],
])('%s is one target in every spelling', (baseUrl, spellings) => {
  for (const spelling of spellings) expect(identityOf(spelling)).toBe(identityOf(baseUrl));
});

it('different services stay apart', () => {
  const all = [
    'http://localhost:8080',
    'http://localhost:8081',
    'https://localhost:8080',
    'http://localhost:8080/rides',
    'http://localhost:8080/Rides',
    'http://localhost:8080/rides%2Fv2',
    'http://localhost.example.org:8080',
    'http://127.example.org:8080',
    'http://10.0.0.1:8080',
    'embedded',
  ];
  expect(new Set(all.map(identityOf)).size).toBe(all.length);
});

it.each([
  ['http://localhost:8080/rides', 'http://localhost:8080'],
  ['https://api.example.org/a/b', 'https://api.example.org'],
  ['https://api.example.org', 'https://api.example.org'],
  ['http://[2001:db8::1]:80/x', 'http://[2001:db8::1]'],
  ['embedded', 'embedded'],
])('the origin of %s is %s', (baseUrl, origin) => {
  expect(originOf(identityOf(baseUrl))).toBe(origin);
});
