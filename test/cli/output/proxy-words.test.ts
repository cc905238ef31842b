import { expect, it } from 'vitest';
import { proxyWords } from '../../../src/cli/output/proxy-words.ts';

const unreachable = (baseUrl: string): string =>
  `error TARGET_UNREACHABLE: ${baseUrl} does not answer: getaddrinfo ENOTFOUND (CONNECT_FAILED).`;
const WORDS = (variable: string): string =>
  `${variable} is set, but fareproof uses no proxy: run it where it can connect to the target itself.`;

it.each<[baseUrl: string, env: Record<string, string>, words: string | null]>([
  ['https://a.test/api', { HTTPS_PROXY: 'http://p:1' }, WORDS('HTTPS_PROXY')],
  ['https://a.test', { https_proxy: 'http://p:1' }, WORDS('https_proxy')],
  ['https://a.test', { ALL_PROXY: 'socks5://p:1' }, WORDS('ALL_PROXY')],
  ['http://a.test', { HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'http://p:1' }, WORDS('HTTP_PROXY')],
  ['http://a.test', { HTTPS_PROXY: 'http://p:1' }, null],
  ['https://a.test', { HTTPS_PROXY: '', NO_PROXY: '*' }, null],
  ['http://127.0.0.1:8080', { HTTP_PROXY: 'http://p:1' }, null],
  ['http://[::1]:8080', { HTTP_PROXY: 'http://p:1' }, null],
])('of %s with %j are %j', (baseUrl, env, words) => {
  expect(proxyWords(unreachable(baseUrl), env)).toBe(words);
  expect(proxyWords(unreachable(baseUrl).replace('TARGET_UNREACHABLE', 'OTHER'), env)).toBeNull();
});

it('are found in the reason of a load as well', () => {
  const reason =
    'TARGET_UNREACHABLE: none of 9 requests got a connection to https://a.test (ENOTFOUND); check that it runs.';
  expect(proxyWords(reason, { HTTPS_PROXY: 'p' })).toBe(WORDS('HTTPS_PROXY'));
});
