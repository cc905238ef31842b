import { caseFiles } from '../../../app/check/cases.ts';
import type { JudgedCheck } from '../../../app/check/check-target.ts';
import { shownPath } from '../../../app/files/write.ts';
import { decisiveExchanges } from '../../../app/replay/replay-exchange.ts';
import type { ConformanceDocument, RuleResult } from '../../../documents/conformance.ts';
import type { RunDocument } from '../../../documents/run-document.ts';
import type { Io } from '../../io.ts';
import { deliverInto } from '../../output/deliver.ts';
import { exitOfCheck } from '../../output/exit-codes.ts';
import { flagWords, withRepeats } from '../../output/repeat.ts';
import type { CheckFlags } from './flags.ts';

/** Flags that a check of a single rule needs as well. */
const REPEATED = [
  'target',
  'rulesModule',
  'ledger',
  'serviceRestarted',
  'allowBan',
  'maxRate',
] as const;

/**
 * Writes the files of a run, also those of a target that did not answer, and prints its document.
 *
 * @param toText what is printed of it; left out, all that a terminal shows
 */
export async function deliver(
  folder: string,
  { document, unreachable }: JudgedCheck,
  flags: CheckFlags,
  io: Io,
  toText?: (document: RunDocument) => string,
): Promise<void> {
  const exit = exitOfCheck(document, flags);
  const replayOf = replayCommands(document, folder, flags, io);
  const label = flags.label !== undefined && { label: flags.label };
  const delivered = withRepeats({ ...document, ...label, exit }, (rule) => ({
    repeat: ['check', ...flagWords(flags, REPEATED), '--rule', rule.id],
    replay: replayOf(rule),
  }));
  await deliverInto(folder, delivered, flags, io, { files: caseFiles(document), toText });
  if (unreachable) return;
  for (const { id, pendingUntil } of document.rules) {
    if (pendingUntil !== undefined) io.note(`${id}: pending until ${pendingUntil}`);
  }
  const { saveBehaviour: path } = flags;
  if (path === undefined) return;
  const { saveBehaviour } = await import('../../../app/check/behaviour.ts');
  await io.deliver(() => saveBehaviour(path, document, io));
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
