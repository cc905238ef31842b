import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { ConfigurationError } from '../interface/errors.ts';
import { NotAFileError, refuseOtherThanFile } from './write-file.ts';

/** The fields of a profile that name PEM files. */
export type CertificateField = 'ca' | 'cert' | 'key';

/** The path of each file, or the PEM text in it. */
export type Certificates = { readonly [field in CertificateField]?: string | undefined };

/** A field that names a file which cannot be used. */
export interface CertificateProblem {
  readonly field: CertificateField;
  /** Path of the file, and what is wrong with it. */
  readonly message: string;
}

/**
 * Reads the PEM files that a profile names, as a connection would, so that problems are known before the
 * first request; relative paths are those of the working folder.
 *
 * @throws ConfigurationError `CERTIFICATE_NOT_READ`
 */
export function readCertificates(paths: Certificates): Certificates {
  const { texts, problems } = tryCertificates(paths, '.');
  if (problems.length === 0) return texts;
  const lines = problems.map(({ field, message }) => `${field}: ${message}`);
  throw new ConfigurationError('CERTIFICATE_NOT_READ', lines.join('\n'));
}

/**
 * As {@link readCertificates}, with the problems instead of an error.
 *
 * @param folder folder against which relative paths are resolved
 */
export function tryCertificates(
  paths: Certificates,
  folder: string,
): { readonly texts: Certificates; readonly problems: readonly CertificateProblem[] } {
  const problems: CertificateProblem[] = [];
  const texts: { -readonly [field in CertificateField]?: string } = {};
  for (const field of ['ca', 'cert', 'key'] as const) {
    const path = paths[field];
    if (path === undefined) continue;
    try {
      const file = resolve(folder, path);
      // It is read more than once.
      refuseOtherThanFile(file);
      const text = readFileSync(file, 'utf8');
      READERS[field](text);
      texts[field] = text;
    } catch (error) {
      problems.push({ field, message: `${path}: ${whatIsWrong(error, field)}` });
    }
  }
  return { texts, problems: problems.length > 0 ? problems : together(texts, paths) };
}

const READERS: Readonly<Record<CertificateField, (pem: string) => unknown>> = {
  ca: (pem) => new X509Certificate(pem),
  cert: (pem) => new X509Certificate(pem),
  key: (pem) => createPrivateKey(pem),
};

/** Checks that certificate and key belong together. */
function together(texts: Certificates, paths: Certificates): CertificateProblem[] {
  try {
    createSecureContext(texts);
    return [];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH'
        ? `is not the key of the certificate in ${paths.cert}`
        : `cannot be used with the certificate in ${paths.cert} (${message})`;
    return [{ field: 'key', message: `${paths.key}: ${why}` }];
  }
}

function whatIsWrong(error: unknown, field: CertificateField): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof NotAFileError) return error.message;
  if (code === 'ENOENT') return 'there is no such file';
  if (syscall !== undefined) return `it cannot be read (${code})`;
  if (field !== 'key') return 'it contains no PEM certificate';
  return code === 'ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED' || code === 'ERR_MISSING_PASSPHRASE'
    ? 'the key is encrypted; give one without a passphrase'
    : 'it contains no PEM private key';
}
