import { join } from 'node:path';
import {
  CERTIFICATE,
  certificateFiles,
  certificationDocument,
  removeCertificate,
} from '../../../app/certify/certificate.ts';
import { shownPath } from '../../../app/files/write.ts';
import {
  type Certification,
  type ClientResult,
  certificationProblems,
  scenariosShowing,
} from '../../../conformance/index.ts';
import type { ConformanceDocument, RuleResult } from '../../../documents/conformance.ts';
import type { Io } from '../../io.ts';
import { deliverInto } from '../../output/deliver.ts';
import { exitOfCertification } from '../../output/exit-codes.ts';
import { flagWords, withRepeats } from '../../output/repeat.ts';
import type { CertifyFlags } from './flags.ts';

/** Logs of clients that are named one by one. */
const NAMED_LOGS = 3;

/** Flags that say how a certification is delivered. */
interface DeliveryFlags
  extends Pick<
    CertifyFlags,
    'json' | 'strict' | 'scenario' | 'orders' | 'clientName' | 'clientVersion' | 'partner'
  > {
  /** Command of the client; empty if it was listened to. */
  readonly command: readonly string[];
  /** PEM; null for an unsigned certificate. */
  readonly signKey: string | null;
}

/**
 * Writes the run's files, the client's output and the certificate into a folder, prints the document,
 * and sets the exit code.
 *
 * @throws ConfigurationError `SIGN_KEY_INVALID`
 */
export async function deliver(
  folder: string,
  { result, outputs }: Certification,
  flags: DeliveryFlags,
  io: Io,
): Promise<ConformanceDocument> {
  const judged = certificationDocument(result, flags);
  const obstacle = obstacleOf(judged, flags);
  const notes =
    obstacle === null ? judged.notes : [...judged.notes, `No certificate: ${obstacle}.`];
  const lacksCertificate = obstacle !== null && flags.signKey !== null;
  const exit = exitOfCertification(result, { ...flags, lacksCertificate });
  const document: ConformanceDocument = withRepeats({ ...judged, notes, exit }, (rule) => ({
    repeat: repeatOf(rule, result, flags),
  }));
  const files = obstacle === null ? certificateFiles(document, flags.signKey) : {};
  for (const [name, output] of Object.entries(outputs)) files[`clients/${name}.log`] = output;
  // One of an earlier run in this folder would be taken for one of this run.
  await removeCertificate(folder);
  await deliverInto(folder, document, flags, io, {
    files,
    note: () => {
      if (obstacle === null) io.note(`certificate: ${shownPath(join(folder, CERTIFICATE), io)}`);
      noteLogs(document, folder, io);
    },
  });
  io.exit(exit.code);
  return document;
}

/** Command that repeats what shows that a rule is broken; null for a client that was listened to. */
function repeatOf(
  rule: RuleResult,
  result: ClientResult,
  { command, scenario, orders }: DeliveryFlags,
): string[] | null {
  if (command.length === 0) return null;
  // A scenario of the user's own is known by its file.
  const file = scenario.find((one) => /\.ya?ml$/.test(one));
  const selected = file === undefined ? scenariosShowing(result, rule) : [file];
  const flags = selected.flatMap((one) => ['--scenario', one]);
  return ['certify', ...flags, ...flagWords({ orders }, ['orders']), '--', ...command];
}

/** Reason why there is no certificate; null if there is one. */
function obstacleOf(document: ConformanceDocument, { scenario }: DeliveryFlags): string | null {
  if (scenario.length > 0) return 'it needs every scenario; run certify without --scenario';
  const problems = certificationProblems(document);
  return problems.length > 0 ? problems.join('; ') : null;
}

/** Notes where the output of clients is that ended badly. */
function noteLogs({ scenarios = [] }: ConformanceDocument, folder: string, io: Io): void {
  const logs = scenarios.flatMap(({ name, log }) => (log === undefined ? [] : [{ name, log }]));
  if (logs.length > NAMED_LOGS) {
    io.note(`logs of ${logs.length} scenarios: ${shownPath(join(folder, 'clients'), io)}`);
    return;
  }
  for (const { name, log } of logs) io.note(`log of ${name}: ${shownPath(join(folder, log), io)}`);
}
