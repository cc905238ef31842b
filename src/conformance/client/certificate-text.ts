import type { Certificate } from './certificate.ts';

const MAX_CHARACTERS = 200;

/** The certified client, its verdict and the date; the document may contain anything. */
export function certificateHeadline({ document, issuedAt }: Certificate): string {
  const target = document['target'] as { readonly name?: unknown } | undefined;
  const name = textOr('a client', target?.name);
  return `${name}: ${textOr('unknown', document['verdict'])}, issued ${textOr('', issuedAt)}`;
}

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

function textOr(fallback: string, value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_CHARACTERS) : fallback;
}
