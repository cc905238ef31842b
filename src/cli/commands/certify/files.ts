import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { ConformanceDocument } from '../../../report/index.ts';
import { writeRunFiles } from '../../output/run-folder.ts';

/** What a certification leaves behind. */
export interface CertifiedRun {
  readonly document: ConformanceDocument;
  /** What the client wrote in each scenario, secrets redacted. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly privateKeyPem: string | null;
}

/**
 * Writes the run's files, the client's output in `clients/`, and the certificate as
 * `certificate.json` and `certificate.html`.
 *
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE` or `SIGN_KEY_INVALID`
 */
export async function writeCertifiedRun(
  folder: string,
  { document, outputs, privateKeyPem }: CertifiedRun,
): Promise<void> {
  const { issueCertificate } = await import('../../../conformance/index.ts');
  const { toHtml } = await import('../../../report/index.ts');
  const certificate = issueCertificate({ ...document }, document.finishedAt, privateKeyPem);
  const shown: ConformanceDocument = {
    ...document,
    notes: [...certificateWords(certificate), ...(document.notes ?? [])],
  };
  await writeRunFiles(folder, document);
  const files: Record<string, string> = {
    'certificate.json': `${JSON.stringify(certificate, null, 2)}\n`,
    'certificate.html': toHtml([shown]),
  };
  for (const [name, output] of Object.entries(outputs)) files[`clients/${name}.log`] = output;
  try {
    await mkdir(join(folder, 'clients'), { recursive: true });
    await Promise.all(
      Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)),
    );
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigurationError(
      'RUN_FOLDER_NOT_WRITABLE',
      `${folder}: the certificate cannot be written there (${code}); name another with --out.`,
      { cause: error },
    );
  }
}

function certificateWords(certificate: {
  readonly issuedAt: string;
  readonly catalogueDigest: string;
  readonly documentDigest: string;
  readonly signature: string | null;
  readonly publicKey: string | null;
}): string[] {
  const { issuedAt, catalogueDigest, documentDigest, signature, publicKey } = certificate;
  return [
    `Certificate, issued ${issuedAt}, ${signature === null ? 'UNSIGNED' : 'signed with Ed25519'}; this page shows it, certificate.json is what can be checked: fareproof certify --verify certificate.json --public-key FILE.`,
    `Catalogue of client rules, SHA-256: ${catalogueDigest}.`,
    `Document, SHA-256: ${documentDigest}.`,
    ...(publicKey === null ? [] : [`Public key, SPKI in Base64: ${publicKey}.`]),
  ];
}
