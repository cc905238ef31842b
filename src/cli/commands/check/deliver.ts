import { caseFiles } from '../../../app/check/cases.ts';
import { type JudgedCheck, needsBans } from '../../../app/check/check-target.ts';
import { shownPath } from '../../../app/files/write.ts';
import { decisiveExchanges } from '../../../app/replay/replay-exchange.ts';
import type { ConformanceDocument, RuleResult } from '../../../documents/conformance.ts';
import { isBroken } from '../../../documents/rule-verdict.ts';
import type { RunDocument } from '../../../documents/run-document.ts';
import type { Io } from '../../io.ts';
import { deliverInto } from '../../output/deliver.ts';
import { exitOfCheck } from '../../output/exit-codes.ts';
import { nextStep } from '../../output/next-step.ts';
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

/** Flags by which another check of the same rules comes to the same verdict. */
const OF_VERDICT = [
  'waivers',
  'strictWaivers',
  'requireComplete',
  'strict',
  'wait',
  'requests',
  'for',
  'explore',
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
  const same = sameCheck(flags);
  const there = shownPath(folder, io);
  const isOpen =
    document.interrupted === true || document.rules.some((rule) => rule.pendingUntil !== undefined);
  const next = isOpen
    ? nextStep('continue it', ['check', '--resume', there])
    : exit.code === 0
      ? nextStep('judge a later build against this run', [...same, '--against', there])
      : nextStep('judge it again', same);
  const delivered = withRepeats({ ...document, ...label, exit, ...next }, (rule) => ({
    repeat:
      rule.pendingUntil !== undefined || (document.interrupted === true && !isBroken(rule))
        ? ['check', '--resume', there]
        : repeatCommand(rule, flags),
    replay: isBroken(rule) ? replayOf(rule) : null,
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

/** The command that judges a rule again; null for one that no remedy makes testable. */
function repeatCommand(rule: RuleResult, flags: CheckFlags): string[] | null {
  const { id, verdict, remedy } = rule;
  if (verdict !== 'untestable') return ['check', ...flagWords(flags, REPEATED), '--rule', id];
  if (remedy === undefined) return null;
  // All rules that the remedy is for, and others that it makes testable.
  return sameCheck(needsBans(rule) ? { ...flags, allowBan: true } : flags);
}

/** The command of the same suite and rules. */
const sameCheck = (flags: CheckFlags): string[] => [
  'check',
  ...flagWords(flags, [...REPEATED, ...OF_VERDICT]),
  ...(flags.suite === 'full' ? [] : ['--suite', flags.suite]),
  ...flags.rule.flatMap((rule) => ['--rule', rule]),
];

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
