import type { Certificate } from './certificate.ts';

/** Notes for the page that shows a certificate. */
export function certificateNotes(certificate: Certificate): string[] {
  const { issuedAt, catalogueDigest, documentDigest, signature, publicKey } = certificate;
  const seal = signature === null ? 'UNSIGNED' : 'signed with Ed25519';
  return [
    `Certificate, issued ${issuedAt}, ${seal}. This page shows it; to check it, run: fareproof certify --verify certificate.json --public-key FILE.`,
    `Client rules, SHA-256: ${catalogueDigest}.`,
    `Document, SHA-256: ${documentDigest}.`,
    ...(publicKey === null ? [] : [`Public key, SPKI in Base64: ${publicKey}.`]),
  ];
}
