import { describe, expect, it } from 'vitest';
import { explainFailure, remedyOfFailure } from '../../src/interface/connection-failure.ts';

const SECURE = { baseUrl: 'https://service.test', hasCertificate: false };

const remedyOf = (code: string, asked = SECURE): string =>
  remedyOfFailure(explainFailure(Object.assign(new Error('it failed'), { code })), asked);

describe('the remedy for a failure of TLS', () => {
  it.each([
    ['CERT_HAS_EXPIRED', /^Renew its certificate/],
    ['CERT_NOT_YET_VALID', /not valid yet/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /for another name/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /issuer as "ca"/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /issuer as "ca"/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /issuer as "ca"/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /^If it asks for a client certificate/],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', /^If it asks for a client certificate/],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', /^It refuses the client certificate/],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', /^It refuses the client certificate/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /speaks http/],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', /no version of TLS/],
    ['ERR_SSL_BAD_RECORD', /^Correct the certificates/],
  ])('%s', (code, remedy) => {
    expect(remedyOf(code)).toMatch(remedy);
  });
});

it('the remedy for other failures is that of each', () => {
  const plain = { baseUrl: 'http://service.test', hasCertificate: false };
  expect(remedyOf('ENOTFOUND')).toMatch(/^Correct the host name/);
  expect(remedyOf('ECONNREFUSED')).toMatch(/^Start it/);
  expect(remedyOf('TIMEOUT')).toBe('Set a longer timeout.');
  expect(remedyOf('ECONNRESET')).toMatch(/client certificate/);
  expect(remedyOf('ECONNRESET', { ...SECURE, hasCertificate: true })).toMatch(/^Start it/);
  expect(remedyOf('ECONNRESET', plain)).toMatch(/speaks https/);
});
