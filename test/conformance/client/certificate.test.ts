import { generateKeyPairSync, hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type Certificate,
  certificationProblems,
  issueCertificate,
  parseCertificate,
  verifyCertificate,
} from '../../../src/conformance/client/certificate.ts';
import type { ConformanceDocument } from '../../../src/documents/conformance.ts';
import { CLIENT_RULES } from '../../../src/interface/index.ts';

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

  it('is signed in the canonical form of RFC 8785', () => {
    const { signature, documentDigest } = issueCertificate(
      { b: 1e21, a: '\u20ac\n', 10: true, 9: null, '\u{1F600}': 1, '\uFB33': 2 },
      AT,
      ours.privateKey,
    );
    const text = '{"10":true,"9":null,"a":"€\\n","b":1e+21,"\u{1F600}":1,"\uFB33":2}';
    expect(documentDigest).toBe(hash('sha256', text));
    expect(signature).not.toBeNull();
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

describe('a document of a whole certification', () => {
  const rules = CLIENT_RULES.map(({ id, level, statement, section }) => {
    return { id, level, statement, section, verdict: 'pass' };
  });
  const certified = (changes: object): string[] =>
    certificationProblems({
      side: 'client',
      scenarios: [{ name: 's', verdict: 'pass' }],
      rules,
      verdict: 'conformant',
      complete: true,
      orders: 'no',
      ...changes,
    } as unknown as ConformanceDocument);
  const excluded = (...ids: string[]) => ({
    rules: rules.map((rule) => (ids.includes(rule.id) ? { ...rule, verdict: 'excluded' } : rule)),
  });

  it('can be certified, also without the rule of orders where the client places none', () => {
    expect(certified({})).toEqual([]);
    expect(certified(excluded('client/scope-on-behalf'))).toEqual([]);
  });

  it('cannot be certified with any other rule excluded, or with that one of a client that orders', () => {
    for (const { id } of CLIENT_RULES.filter((rule) => rule.id !== 'client/scope-on-behalf'))
      expect(certified(excluded('client/scope-on-behalf', id))).toEqual([`not judged: ${id}`]);
    for (const orders of ['yes', null])
      expect(certified({ ...excluded('client/scope-on-behalf'), orders })).toEqual([
        'not judged: client/scope-on-behalf',
      ]);
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
  expect(parseCertificate(JSON.stringify(certificate), 'file')).toEqual(certificate);
  for (const other of [null, 1, 'x', [], {}, document, { kind: 'certificate' }]) {
    expect(() => parseCertificate(JSON.stringify(other), 'file')).toThrow(
      'file: is not a certificate;',
    );
  }
  expect(() => parseCertificate('no JSON', 'file')).toThrow('file: is not valid JSON: ');
});

it('is read again as it was issued, whatever the document holds', () => {
  const odd = {
    'lone \uD800': 'half \uDC00 of a pair, \\ud800 in words, \u{1F600}',
    10: 1,
    9: [0.1, 1e-7, 1e21, -0],
    ...(JSON.parse('{"__proto__":{"a":1},"constructor":2}') as object),
  };
  const certificate = issueCertificate(odd, AT, ours.privateKey);
  const read = parseCertificate(JSON.stringify(certificate, null, 2), 'file');
  expect(verifyCertificate(read, ours.publicKey).state).toBe('authentic');
  expect(JSON.stringify(read.document)).toBe(
    '{"9":[0.1,1e-7,1e+21,0],"10":1,"lone \uFFFD":"half \uFFFD of a pair, \\\\ud800 in words, \u{1F600}","constructor":2}',
  );
});
