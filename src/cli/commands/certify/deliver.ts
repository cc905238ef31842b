import {
  type Certificate,
  type Certification,
  certificateNotes,
  issueCertificate,
} from '../../../conformance/index.ts';
import { type ConformanceDocument, SCHEMA_VERSION, toHtml } from '../../../report/index.ts';
import { writeFiles } from '../../files/write.ts';
import type { Io } from '../../io.ts';
import { printDocument } from '../../output/deliver.ts';
import { exitCodeOfCertification } from '../../output/exit-codes.ts';
import { noteRunFolder, notWritable, writeRunFiles } from '../../output/run-folder.ts';
import { TOOL } from '../../tool.ts';
import type { CertifyFlags } from './flags.ts';

/** Flags that say how a certification is delivered. */
interface DeliveryFlags extends Pick<CertifyFlags, 'json' | 'strict'> {
  /** PEM; null for an unsigned certificate. */
  readonly signKey: string | null;
}

/**
 * Writes the run's files, the client's output and the certificate into a folder, prints the document,
 * and sets the exit code.
 *
 * @throws ConfigurationError `RUN_FOLDER_NOT_WRITABLE` or `SIGN_KEY_INVALID`
 */
export async function deliver(
  folder: string,
  { result, outputs }: Certification,
  flags: DeliveryFlags,
  io: Io,
): Promise<ConformanceDocument> {
  const document: ConformanceDocument = { schemaVersion: SCHEMA_VERSION, tool: TOOL, ...result };
  const certificate = issueCertificate({ ...document }, document.finishedAt, flags.signKey);
  await writeRunFiles(folder, document);
  const files = certificateFiles(certificate, document);
  for (const [name, output] of Object.entries(outputs)) files[`clients/${name}.log`] = output;
  await writeFiles(folder, files, notWritable(folder));
  await printDocument(document, flags, io);
  noteRunFolder(io, folder);
  io.exit(exitCodeOfCertification(result, flags));
  return document;
}

function certificateFiles(
  certificate: Certificate,
  document: ConformanceDocument,
): Record<string, string> {
  const notes = [...certificateNotes(certificate), ...(document.notes ?? [])];
  return {
    'certificate.json': `${JSON.stringify(certificate, null, 2)}\n`,
    'certificate.html': toHtml([{ ...document, notes }]),
  };
}
