import { issueCertificate } from '../../../conformance/index.ts';
import type { LiveSubject } from '../../../report/index.ts';
import { readTextFile } from '../../files/text.ts';
import type { Io } from '../../io.ts';
import { openLivePage } from '../../output/live-page.ts';
import { prepareRunFolder } from '../../output/run-folder.ts';
import { deliver } from './deliver.ts';
import type { CertifyFlags } from './flags.ts';
import { listen } from './listen.ts';
import { CertifyLive } from './live.ts';
import { runScenarios } from './run-scenarios.ts';

/**
 * Judges a client and delivers the result; without a command it listens.
 *
 * @throws ConfigurationError for files and flags that cannot be used
 */
export async function certify(
  command: readonly string[],
  flags: CertifyFlags,
  io: Io,
): Promise<void> {
  const signKey = await readSignKey(flags.signKey, io);
  const folder = await prepareRunFolder(io, 'certify', Date.now(), flags.out);
  const page = await openLivePage(flags, subjectOf(command, flags), io);
  try {
    const live = page && new CertifyLive(page, flags.orders ?? null);
    const certification =
      command.length > 0
        ? await runScenarios(command, flags, live, io)
        : { result: await listen(flags, live, io), outputs: {} };
    const document = await deliver(folder, certification, { ...flags, signKey }, io);
    live?.end(document, folder);
  } finally {
    await page?.close();
  }
}

/** Reads the key that signs the certificate, and refuses an unusable one before anything is run. */
async function readSignKey(path: string | undefined, io: Io): Promise<string | null> {
  if (path === undefined) return null;
  const pem = await readTextFile(path, io.cwd);
  issueCertificate({}, '', pem);
  return pem;
}

function subjectOf(command: readonly string[], { proxy }: CertifyFlags): LiveSubject {
  const isListening = command.length === 0;
  return {
    kind: 'certify',
    state: isListening ? 'Listening' : 'Running its scenarios',
    title: isListening ? 'Listening to a client' : `Certification of ${command.join(' ')}`,
    facts: proxy === undefined ? [] : [['Forwarded to the target of', proxy]],
  };
}
