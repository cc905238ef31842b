import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Certification,
  type ClientResult,
  certificateNotes,
  certificationProblems,
  issueCertificate,
} from '../../../conformance/index.ts';
import { SCHEMA_VERSION } from '../../../documents/base.ts';
import type { ConformanceDocument } from '../../../documents/conformance.ts';
import { toHtml } from '../../../report/index.ts';
import { shownPath, writeFiles } from '../../files/write.ts';
import { type Io, note } from '../../io.ts';
import { printDocument } from '../../output/deliver.ts';
import { exitOfCertification } from '../../output/exit-codes.ts';
import { noteRunFolder, notWritable, writeRunFiles } from '../../output/run-folder.ts';
import { TOOL } from '../../tool.ts';
import type { CertifyFlags } from './flags.ts';

const CERTIFICATE_FILES = ['certificate.json', 'certificate.html'];

/** Flags that say how a certification is delivered. */
interface DeliveryFlags
  extends Pick<
    CertifyFlags,
    'json' | 'strict' | 'scenario' | 'clientName' | 'clientVersion' | 'partner'
  > {
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
  const judged = documentOf(result, flags);
  const obstacle = obstacleOf(judged, flags);
  const notes =
    obstacle === null ? judged.notes : [...judged.notes, `No certificate: ${obstacle}.`];
  const lacksCertificate = obstacle !== null && flags.signKey !== null;
  const exit = exitOfCertification(result, { ...flags, lacksCertificate });
  const document: ConformanceDocument = { ...judged, notes, exit };
  await writeRunFiles(folder, document);
  const files = obstacle === null ? certificateFiles(document, flags.signKey) : {};
  // One of an earlier run in this folder would be taken for one of this run.
  if (obstacle !== null) await removeCertificate(folder);
  for (const [name, output] of Object.entries(outputs)) files[`clients/${name}.log`] = output;
  await writeFiles(folder, files, notWritable(folder));
  await printDocument(document, flags, io);
  noteRunFolder(io, folder);
  for (const { name, log } of document.scenarios ?? []) {
    if (log !== undefined) note(io, `log of ${name}: ${shownPath(join(folder, log), io)}`);
  }
  io.exit(exit.code);
  return document;
}

/** The run document, with the names that the partner gave. */
function documentOf(
  result: ClientResult,
  { clientName, clientVersion, partner }: DeliveryFlags,
): ConformanceDocument & Pick<ClientResult, 'notes'> {
  return {
    schemaVersion: SCHEMA_VERSION,
    tool: TOOL,
    ...result,
    target: { ...result.target, name: clientName ?? result.target.name },
    client: {
      name: clientName ?? null,
      version: clientVersion ?? null,
      partner: partner ?? null,
    },
  };
}

/** Reason why there is no certificate; null if there is one. */
function obstacleOf(document: ConformanceDocument, { scenario }: DeliveryFlags): string | null {
  if (scenario.length > 0) return 'it needs every scenario; run certify without --scenario';
  const problems = certificationProblems(document);
  return problems.length > 0 ? problems.join('; ') : null;
}

async function removeCertificate(folder: string): Promise<void> {
  await Promise.all(CERTIFICATE_FILES.map((name) => rm(join(folder, name), { force: true })));
}

function certificateFiles(
  document: ConformanceDocument,
  signKey: string | null,
): Record<string, string> {
  const certificate = issueCertificate({ ...document }, document.finishedAt, signKey);
  const notes = [...certificateNotes(certificate), ...(document.notes ?? [])];
  return {
    'certificate.json': `${JSON.stringify(certificate, null, 2)}\n`,
    'certificate.html': toHtml([{ ...document, notes }]),
  };
}
