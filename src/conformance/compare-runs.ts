import { SCHEMA_VERSION, type Tool } from '../documents/base.ts';
import type { ConformanceDocument } from '../documents/conformance.ts';
import { judgedCount } from '../documents/judged-count.ts';
import { type RuleChanges, ruleChanges } from '../documents/rule-changes.ts';
import type { RuleComparisonDocument } from '../documents/rule-comparison.ts';

/** A run and the name that a comparison gives it. */
export interface NamedRun {
  readonly name: string;
  readonly document: ConformanceDocument;
}

/** Compares two runs of the same side, rule by rule. @param nowMs milliseconds since the epoch */
export function compareRuns(
  base: NamedRun,
  candidate: NamedRun,
  { tool, nowMs }: { readonly tool: Tool; readonly nowMs: number },
): RuleComparisonDocument {
  const runs = [base.document, candidate.document];
  const changes = ruleChanges(base.document, candidate.document);
  const idle = runs.some(({ summary }) => judgedCount(summary) === 0);
  const now = new Date(nowMs).toISOString();
  return {
    schemaVersion: SCHEMA_VERSION,
    tool,
    startedAt: now,
    finishedAt: now,
    kind: 'rule-comparison',
    side: candidate.document.side,
    verdict: verdictOf(changes, idle),
    base: factsOf(base),
    candidate: factsOf(candidate),
    ...changes,
    ...notesOn(base, candidate),
  };
}

function verdictOf(
  { fixed, newlyBroken, newlyTried = [], noLongerJudged }: RuleChanges,
  isIdle: boolean,
): RuleComparisonDocument['verdict'] {
  if (newlyBroken.some(({ after }) => after === 'fail')) return 'worse';
  if (isIdle || noLongerJudged.length + newlyTried.length > 0) return 'inconclusive';
  return fixed.length > 0 ? 'better' : 'equivalent';
}

function factsOf({ name, document }: NamedRun): RuleComparisonDocument['base'] {
  const { target, suite, startedAt, verdict, tool } = document;
  return { name, target, suite, startedAt, verdict, toolVersion: tool.version };
}

/** Differences between the runs other than those of their rules. */
function notesOn(base: NamedRun, candidate: NamedRun): { notes?: string[] } {
  const [earlier, later] = [base.document, candidate.document];
  const notes = [
    ...(earlier.suite === later.suite
      ? []
      : [`The base ran the suite ${earlier.suite}, the candidate ${later.suite}.`]),
    ...(earlier.target.environment === later.target.environment
      ? []
      : [
          `The base is of the environment ${earlier.target.environment}, the candidate of ${later.target.environment}.`,
        ]),
    ...(earlier.tool.version === later.tool.version
      ? []
      : [
          `The base was judged by ${earlier.tool.name} ${earlier.tool.version}, the candidate by ${later.tool.version}: rules and checks may differ.`,
        ]),
    ...[base, candidate].flatMap(({ name, document }) =>
      document.interrupted ? [`${name} was interrupted.`] : [],
    ),
    ...(earlier.startedAt > later.startedAt ? ['The base is the later of the two runs.'] : []),
  ];
  return notes.length > 0 ? { notes } : {};
}
