import type { RunDocument } from '../../documents/run-document.ts';
import { exitWords, headlineOf } from './headline.ts';
import { changeRows, changeWords, isTolerated } from './rule-changes.ts';
import { notableVerdicts, rulesWith } from './rule-words.ts';
import { observedWords } from './tables.ts';

/** Failure or warning of a run that a reader of a pipeline should see. */
export interface Finding {
  /** `error` for what failed or fell short, `warning` for the rest. */
  readonly level: 'error' | 'warning';
  /** Such as the id of a rule; the same in each run that finds it. */
  readonly title: string;
  /** One line or several. */
  readonly message: string;
}

/**
 * Lists the findings of a run, the worst first, and the exit code where no error says why it is not 0; none if there
 * is nothing to look at.
 */
export function findingsOf(document: RunDocument): Finding[] {
  const findings = ownFindings(document);
  const { exit } = document;
  if (!exit || exit.code === 0 || findings.some(({ level }) => level === 'error')) return findings;
  const level = exit.code === 1 ? error : warning;
  return [...findings, level('exit code', exitWords(document) ?? '')];
}

function ownFindings(document: RunDocument): Finding[] {
  switch (document.kind) {
    case 'conformance':
      return [
        ...(document.diagnosis === undefined
          ? []
          : [error('diagnosis', `${document.diagnosis.finding}\n${document.diagnosis.remedy}`)]),
        ...notableVerdicts(document).flatMap((verdict) =>
          rulesWith(document, verdict).map((rule) => {
            if (isTolerated(document, rule.id))
              return warning(rule.id, `still broken: ${rule.reason}`);
            if (verdict === 'inconclusive') return warning(rule.id, `inconclusive: ${rule.reason}`);
            const message = `${rule.statement}\n${rule.reason}`;
            return verdict === 'fail' ? error(rule.id, message) : warning(rule.id, message);
          }),
        ),
        ...(document.waivers ?? []).flatMap(({ rule, problem }) =>
          problem === undefined ? [] : [warning(`waiver of ${rule}`, problem)],
        ),
      ];
    case 'load': {
      if (document.verdict === 'invalid') {
        const { title, sentence } = headlineOf(document);
        return [error(title, sentence)];
      }
      return document.thresholds
        .filter(({ held, judged }) => !held && judged !== false)
        .map((threshold) =>
          error(
            `threshold ${threshold.expression}`,
            `fell short: observed ${observedWords(threshold)}`,
          ),
        );
    }
    case 'load-set':
      return document.runs.flatMap(ownFindings);
    case 'rule-comparison':
      return changeRows(document).flatMap((change) => {
        const { kind, rule, after, reason } = change;
        if (kind === 'fixed' || kind === 'stillBroken' || after === 'waived') return [];
        const message = `${changeWords(change)}\n${reason}`;
        const isError = after === 'fail' && kind !== 'newlyTried';
        return [isError ? error(rule, message) : warning(rule, message)];
      });
    case 'find-max':
    case 'comparison':
    case 'bench': {
      const { title, verdict, tone, sentence } = headlineOf(document);
      const message = `${verdict}. ${sentence}`;
      if (tone === 'bad') return [error(title, message)];
      return tone === 'unknown' ? [warning(title, message)] : [];
    }
  }
}

const error = (title: string, message: string): Finding => ({ level: 'error', title, message });

const warning = (title: string, message: string): Finding => ({ level: 'warning', title, message });
