import { randomInt } from 'node:crypto';
import { readSignKey } from '../../../app/certify/certificate.ts';
import { certify as certifyClient } from '../../../app/certify/certify.ts';
import { prepareRunFolder } from '../../../app/files/run-folder.ts';
import { SEED } from '../../../app/option-values.ts';
import type { LiveSubject } from '../../../report/index.ts';
import { readNumber, readPort } from '../../flags/numbers.ts';
import { type Io, print } from '../../io.ts';
import { openLivePage } from '../../output/live-page.ts';
import { deliver } from './deliver.ts';
import type { CertifyFlags } from './flags.ts';
import { greeting, requestLines } from './listen.ts';

/**
 * Judges a client and delivers the result; without a command it listens, and prints each request as it is
 * judged; with `--json` on stderr.
 *
 * @throws ConfigurationError for files and flags that cannot be used
 */
export async function certify(
  command: readonly string[],
  flags: CertifyFlags,
  io: Io,
): Promise<void> {
  const {
    signKey: path,
    scenario: scenarios,
    orders = null,
    proxy,
    ledger,
    serviceRestarted,
  } = flags;
  const signKey = path === undefined ? null : await readSignKey(path, io);
  const seed = readNumber(flags.seed, 'seed', SEED) ?? randomInt(2 ** 31);
  const port = readPort(flags.port, 'port');
  const folder = await prepareRunFolder(io, 'certify', Date.now(), flags.out);
  const printAll = (lines: readonly string[]): void => {
    for (const line of lines) {
      if (flags.json) io.note(line);
      else print(io, line);
    }
  };
  await certifyClient(
    command.length > 0
      ? { command, scenarios, orders, seed }
      : { port, proxy, orders, ledger, serviceRestarted },
    {
      page: await openLivePage(flags, subjectOf(command, flags), io),
      onScenario: ({ name, verdict, durationMs }) =>
        io.note(`${name}: ${verdict} (${(durationMs / 1000).toFixed(1)} s)`),
      onListening: (...listening) => printAll(greeting(...listening)),
      onRequest: (judged) => printAll(requestLines(judged, io.color)),
      deliver: async (certification) => {
        const delivery = { ...flags, command, signKey };
        return { document: await deliver(folder, certification, delivery, io), folder };
      },
    },
    io,
  );
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
