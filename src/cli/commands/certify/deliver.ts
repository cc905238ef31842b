import { join } from 'node:path';
import {
  CERTIFICATE,
  certificateFiles,
  certificateObstacle,
  certificationDocument,
  removeCertificate,
  scenariosToRepeat,
} from '../../../app/certify/certificate.ts';
import type { CertifyWatch } from '../../../app/certify/certify.ts';
import { shownPath } from '../../../app/files/write.ts';
import type { ConformanceDocument, RuleResult } from '../../../documents/conformance.ts';
import type { Io } from '../../io.ts';
import { deliverInto } from '../../output/deliver.ts';
import { exitOfCertification } from '../../output/exit-codes.ts';
import { nextStep } from '../../output/next-step.ts';
import { flagWords, withRepeats } from '../../output/repeat.ts';
import type { CertifyFlags } from './flags.ts';

type Certification = Parameters<CertifyWatch['deliver']>[0];

/** Command that verifies a certificate, for its page. */
const VERIFY = `fareproof certify --verify ${CERTIFICATE} --public-key FILE`;

/** Logs of clients that are named one by one. */
const NAMED_LOGS = 3;

/** Flags of a certification, and what was read by them. */
interface DeliveryFlags extends Omit<CertifyFlags, 'port' | 'signKey'> {
  /** Command of the client; empty if it was listened to. */
  readonly command: readonly string[];
  /** PEM; null for an unsigned certificate. */
  readonly signKey: string | null;
}

/**
 * Writes the run's files, the client's output and the certificate into a folder, and prints the document.
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
  const { command, scenario } = flags;
  const obstacle = certificateObstacle(judged, scenario);
  const notes =
    obstacle === null ? judged.notes : [...judged.notes, `No certificate: ${obstacle}.`];
  const lacksCertificate = obstacle !== null && flags.signKey !== null;
  const exit = exitOfCertification(result, { ...flags, lacksCertificate });
  const orders = flagWords(flags, ['orders']);
  const scenariosOf = (rule: RuleResult): string[] =>
    scenariosToRepeat(result, rule, scenario).flatMap((one) => ['--scenario', one]);
  const next = nextOf(result, [...orders, '--', ...command], command.length > 0);
  const document: ConformanceDocument = withRepeats(
    { ...judged, notes, exit, ...next },
    (rule) => ({
      repeat:
        command.length === 0 || rule.verdict === 'untestable'
          ? null
          : ['certify', ...scenariosOf(rule), ...orders, '--', ...command],
    }),
  );
  const files = obstacle === null ? certificateFiles(document, flags.signKey, VERIFY) : {};
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
  return document;
}

/** Next step: judge a client again that did not pass, in the scenario that failed where it is one. */
function nextOf(
  { verdict, scenarios }: Certification['result'],
  words: readonly string[],
  isRun: boolean,
) {
  if (!isRun || verdict === 'conformant') return {};
  const failed = scenarios.filter((one) => one.verdict === 'fail');
  const only = failed.length === 1 ? failed : [];
  return nextStep('judge it again', [
    'certify',
    ...only.flatMap(({ name }) => ['--scenario', name]),
    ...words,
  ]);
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
