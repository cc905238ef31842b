import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type Certificate,
  issueCertificate,
  parseCertificate,
  verifyCertificate,
} from '../../../src/conformance/client/certificate.ts';

const pem = (type: 'ed25519' = 'ed25519') => {
  const { publicKey, privateKey } = generateKeyPairSync(type);
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};
const ours = pem();
const theirs = pem();
const document = { kind: 'conformance', verdict: 'conformant', target: { name: 'a client' } };
const AT = '2026-03-02T12:00:00.000Z';
const reread = (certificate: Certificate): Certificate =>
  JSON.parse(JSON.stringify(certificate)) as Certificate;
const altered = (certificate: Certificate): Certificate => ({
  ...certificate,
  document: { ...certificate.document, verdict: 'not-conformant' },
});

describe('a signed certificate', () => {
  const certificate = reread(issueCertificate(document, AT, ours.privateKey));

  it('is authentic by the key of its issuer, and by no other', () => {
    expect(verifyCertificate(certificate, ours.publicKey).state).toBe('authentic');
    expect(verifyCertificate(certificate, theirs.publicKey).state).toBe('other-key');
  });

  it('is intact, not authentic, without a key', () => {
    expect(verifyCertificate(certificate, null)).toMatchObject({
      state: 'intact',
      words: expect.stringContaining('intact, not authentic') as string,
      sameCatalogue: true,
    });
  });

  it('is altered if anything in it is', () => {
    expect(verifyCertificate(altered(certificate), ours.publicKey).state).toBe('altered');
    const { documentDigest } = issueCertificate(altered(certificate).document, AT, null);
    const resealed = { ...altered(certificate), documentDigest };
    expect(verifyCertificate(resealed, ours.publicKey).state).toBe('other-key');
    expect(verifyCertificate(resealed, null).state).toBe('altered');
    const later = { ...certificate, issuedAt: '2027-03-02T12:00:00.000Z' };
    expect(verifyCertificate(later, ours.publicKey).state).toBe('other-key');
    const otherRules = { ...certificate, catalogueDigest: '0'.repeat(64) };
    expect(verifyCertificate(otherRules, ours.publicKey)).toMatchObject({
      state: 'other-key',
      sameCatalogue: false,
    });
  });

  it('does not depend on the order of its keys', () => {
    const turned = Object.fromEntries(Object.entries(certificate).reverse());
    expect(verifyCertificate(turned as unknown as Certificate, ours.publicKey).state).toBe(
      'authentic',
    );
  });
});

describe('an unsigned certificate', () => {
  const certificate = reread(issueCertificate(document, AT, null));

  it('is intact, not authentic, and says that it is unsigned', () => {
    const check = verifyCertificate(certificate, null);
    expect(check.state).toBe('intact');
    expect(check.words).toMatch(/^unsigned: intact, not authentic/);
    expect(verifyCertificate(certificate, ours.publicKey).state).toBe('unsigned');
    expect(verifyCertificate(altered(certificate), null).state).toBe('altered');
  });
});

it('refuses keys other than Ed25519', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const key = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  expect(() => issueCertificate(document, AT, key)).toThrow(/Ed25519/);
  expect(() => issueCertificate(document, AT, 'no key')).toThrow(/Ed25519/);
  const certificate = issueCertificate(document, AT, null);
  expect(() => verifyCertificate(certificate, 'no key')).toThrow(/Ed25519/);
});

it('recognizes a certificate', () => {
  const certificate = issueCertificate(document, AT, null);
  expect(parseCertificate(JSON.stringify(certificate))).toEqual(certificate);
  for (const other of [null, 1, 'x', [], {}, document, { kind: 'certificate' }]) {
    expect(parseCertificate(JSON.stringify(other))).toBeNull();
  }
  expect(parseCertificate('no JSON')).toBeNull();
});
