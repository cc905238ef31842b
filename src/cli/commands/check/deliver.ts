import {
  type CheckRun,
  checkTarget,
  type JudgedCheck,
  type PreparedCheck,
} from '../../../app/check/check-target.ts';
import { dropRunFolder } from '../../../app/files/run-folder.ts';
import { shownPath } from '../../../app/files/write.ts';
import { decisiveExchanges } from '../../../app/replay/replay-exchange.ts';
import type { ConformanceDocument, RuleResult } from '../../../documents/conformance.ts';
import type { Io } from '../../io.ts';
import { deliverInto } from '../../output/deliver.ts';
import { exitOfCheck } from '../../output/exit-codes.ts';
import { flagWords, withRepeats } from '../../output/repeat.ts';
import { CheckProgress } from './progress.ts';
import { abandonRun, settleRun } from './resume.ts';
import type { CheckFlags } from './settings.ts';

/** Flags that a check of a single rule needs as well. */
const REPEATED = [
  'target',
  'rulesModule',
  'ledger',
  'serviceRestarted',
  'allowBan',
  'maxRate',
] as const;

/** Judges a target and writes the files of the run, also those of a target that did not answer. */
export async function judgeAndDeliver(
  prepared: PreparedCheck,
  run: CheckRun,
  flags: CheckFlags,
  io: Io,
): Promise<ConformanceDocument> {
  const { document, result, unreachable } = await judge(prepared, run, io);
  const exit = exitOfCheck(document, flags);
  const replayOf = replayCommands(document, run.folder, flags, io);
  const delivered = withRepeats({ ...document, exit }, (rule) => ({
    repeat: ['check', ...flagWords(flags, REPEATED), '--rule', rule.id],
    replay: replayOf(rule),
  }));
  await deliverInto(run.folder, delivered, flags, io);
  if (unreachable) throw unreachable;
  io.exit(exit.code);
  settleRun(run, result, io);
  const { saveBehaviour: path } = flags;
  if (path !== undefined) {
    const { saveBehaviour } = await import('../../../app/check/behaviour.ts');
    await io.deliver(() => saveBehaviour(path, result, io));
  }
  return delivered;
}

async function judge(prepared: PreparedCheck, run: CheckRun, io: Io): Promise<JudgedCheck> {
  const progress = new CheckProgress(io);
  try {
    const judged = await checkTarget(prepared, run, {
      onRequest: (sent) => progress.request(sent, performance.now()),
      onRule: (rule) => progress.add(rule),
      onWait: (...wait) => progress.wait(...wait),
      signal: io.interruption(),
    });
    if (judged.unreachable === null) {
      progress.end(judged.result.rules);
    } else {
      progress.erase();
      abandonRun(run, io);
    }
    return judged;
  } catch (error) {
    progress.erase();
    abandonRun(run, io);
    await dropRunFolder(run.folder);
    throw error;
  }
}

/** Commands that send the decisive exchange of a broken rule again. */
function replayCommands(
  document: ConformanceDocument,
  folder: string,
  flags: CheckFlags,
  io: Io,
): (rule: RuleResult) => string[] | null {
  const decisiveOf = decisiveExchanges(document);
  const words = flagWords(flags, ['target', 'ledger', 'serviceRestarted']);
  return (rule) => {
    const id = decisiveOf(rule);
    return id === null ? null : ['replay', shownPath(folder, io), id, ...words];
  };
}
