import { readCase } from '../../../app/check/cases.ts';
import { readCheck, type StoredCheck } from '../../../app/check/earlier-run.ts';
import { CHECK_VALUES } from '../../../app/option-values.ts';
import {
  type AskedCase,
  exchangesOfBroken,
  playStoredCase,
  replayStored,
} from '../../../app/replay/replay-exchange.ts';
import type { StoredCase } from '../../../documents/explored.ts';
import type { ReplayDocument } from '../../../documents/replay.ts';
import { FareproofError } from '../../../interface/errors.ts';
import { readDuration } from '../../flags/numbers.ts';
import { type Io, print } from '../../io.ts';
import { EXIT } from '../../output/exit-codes.ts';

/** Flags of `fareproof replay`. */
export interface ReplayFlags {
  readonly target?: string;
  readonly ledger?: string;
  readonly serviceRestarted?: true;
  readonly timeout: string;
  readonly json?: true;
}

/** Runs `fareproof replay`, or lists the exchanges of broken rules. */
export async function replay(
  run: string,
  id: string | undefined,
  flags: ReplayFlags,
  io: Io,
): Promise<void> {
  const timeoutMs = readDuration(flags.timeout, 'timeout', CHECK_VALUES.timeout, 'ms');
  const found = await readCaseOf(run, io);
  if (found) return playCaseOf(found, { target: flags.target, timeoutMs }, flags, io);
  const stored = await readCheck(run, io);
  if (id === undefined) return listExchanges(stored, flags, io);
  const { target, ledger, serviceRestarted, json } = flags;
  const asked = { id, target, ledger, serviceRestarted, timeoutMs };
  try {
    const made = await replayStored(stored, asked, io);
    const { replayText } = await import('../../../report/index.ts');
    const exit = exitOf(made);
    const document = { ...made, exit };
    print(io, json ? JSON.stringify(document, null, 2) : replayText(document).join('\n'));
    io.exit(exit.code);
  } catch (error) {
    if (!(error instanceof FareproofError) || error.code !== 'INTERRUPTED') throw error;
    io.note('interrupted: the exchange was not sent');
    io.exit(EXIT.interrupted);
  }
}

/** The case of a file; null for a folder, or another file. */
async function readCaseOf(run: string, { cwd }: Io): Promise<StoredCase | null> {
  return run.endsWith('.json') ? readCase(run, cwd) : null;
}

async function playCaseOf(
  found: StoredCase,
  asked: AskedCase,
  { json }: ReplayFlags,
  io: Io,
): Promise<void> {
  const { escapeTerminal } = await import('../../../report/index.ts');
  const played = await playStoredCase(found, asked, io);
  const { words, reason, script } = played;
  const text =
    reason === null
      ? ['The service kept the rule in each of these steps:', ...found.words]
      : [`${found.rule} is broken:`, ...words, '', ...script];
  print(io, json ? JSON.stringify(played, null, 2) : escapeTerminal(text.join('\n')));
  io.exit(reason === null ? EXIT.passed : EXIT.failed);
}

function exitOf({ verdict, reason, interrupted }: Omit<ReplayDocument, 'exit'>) {
  if (interrupted) return { code: EXIT.interrupted, reason: 'interrupted' };
  return { code: CODES[verdict], reason };
}

const CODES = {
  'as-expected': EXIT.passed,
  answered: EXIT.passed,
  'not-as-expected': EXIT.failed,
  inconclusive: EXIT.inconclusive,
} as const satisfies Readonly<Record<ReplayDocument['verdict'], number>>;

async function listExchanges(
  { file, document }: StoredCheck,
  { json }: ReplayFlags,
  io: Io,
): Promise<void> {
  const { exchangeListText } = await import('../../../report/index.ts');
  const listed = exchangesOfBroken(document);
  const text = json ? JSON.stringify(listed, null, 2) : exchangeListText(listed, file).join('\n');
  print(io, text);
  io.exit(EXIT.passed);
}
