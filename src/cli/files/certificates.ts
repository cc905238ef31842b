import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { TargetProfile } from '../../interface/index.ts';

/** The fields of a profile that name PEM files. */
export type CertificateField = 'ca' | 'cert' | 'key';

/** A problem with a field of a profile. */
export interface ProfileProblem {
  readonly path: (string | number)[];
  readonly message: string;
}

/**
 * Reads a profile's certificates as a connection would, so that problems are known before the first
 * request.
 *
 * @param folder folder against which relative paths are resolved
 */
export function certificateProblems(
  profile: Pick<TargetProfile, CertificateField>,
  folder: string,
): ProfileProblem[] {
  const problems: ProfileProblem[] = [];
  const texts: { -readonly [field in CertificateField]?: string } = {};
  for (const field of ['ca', 'cert', 'key'] as const) {
    const path = profile[field];
    if (path === undefined) continue;
    try {
      const text = readFileSync(resolve(folder, path), 'utf8');
      READERS[field](text);
      texts[field] = text;
    } catch (error) {
      problems.push({ path: [field], message: `${path}: ${whatIsWrong(error, field)}` });
    }
  }
  return problems.length > 0 ? problems : together(texts, profile);
}

const READERS: Readonly<Record<CertificateField, (pem: string) => unknown>> = {
  ca: (pem) => new X509Certificate(pem),
  cert: (pem) => new X509Certificate(pem),
  key: (pem) => createPrivateKey(pem),
};

/** Checks that certificate and key belong together. */
function together(
  texts: { readonly [field in CertificateField]?: string },
  profile: Pick<TargetProfile, CertificateField>,
): ProfileProblem[] {
  try {
    createSecureContext(texts);
    return [];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH'
        ? `is not the key of the certificate in ${profile.cert}`
        : `cannot be used with the certificate in ${profile.cert} (${message})`;
    return [{ path: ['key'], message: `${profile.key}: ${why}` }];
  }
}

function whatIsWrong(error: unknown, field: CertificateField): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (syscall !== undefined) return `it cannot be read (${code})`;
  if (field !== 'key') return 'it contains no PEM certificate';
  return code === 'ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED' || code === 'ERR_MISSING_PASSPHRASE'
    ? 'the key is encrypted; give one without a passphrase'
    : 'it contains no PEM private key';
}
