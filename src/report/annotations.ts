import type { RunDocument } from '../documents/run-document.ts';
import { escapeAnnotation, escapeAnnotationProperty } from './escape.ts';
import { headlineOf } from './text/headline.ts';
import { notableVerdicts, rulesWith, statementOf } from './text/rule-words.ts';
import { observedWords } from './text/tables.ts';

/**
 * Renders a run document as workflow commands of GitHub Actions, one a line: errors for what failed
 * or fell short, warnings for what else a reader should see. Empty if there is neither.
 */
export function toGithubAnnotations(document: RunDocument): string {
  return linesOf(document)
    .map((line) => `${line}\n`)
    .join('');
}

function linesOf(document: RunDocument): string[] {
  switch (document.kind) {
    case 'conformance':
      return [
        ...(document.diagnosis === undefined
          ? []
          : [
              command(
                'error',
                'diagnosis',
                `${document.diagnosis.finding}\n${document.diagnosis.remedy}`,
              ),
            ]),
        ...notableVerdicts(document).flatMap((verdict) =>
          rulesWith(document, verdict).map((rule) =>
            verdict === 'inconclusive'
              ? command('warning', rule.id, `inconclusive: ${rule.reason}`)
              : command(
                  verdict === 'fail' ? 'error' : 'warning',
                  rule.id,
                  `${statementOf(rule)}\n${rule.reason}`,
                ),
          ),
        ),
        ...(document.waivers ?? []).flatMap(({ rule, problem }) =>
          problem === undefined ? [] : [command('warning', `waiver of ${rule}`, problem)],
        ),
      ];
    case 'load':
      if (document.verdict === 'invalid') {
        const { title, sentence } = headlineOf(document);
        return [command('error', title, sentence)];
      }
      return document.thresholds
        .filter(({ held }) => !held)
        .map((threshold) =>
          command(
            'error',
            `threshold ${threshold.expression}`,
            `fell short: observed ${observedWords(threshold)}`,
          ),
        );
    case 'load-set':
      return document.runs.flatMap(linesOf);
    case 'find-max':
    case 'comparison':
    case 'bench': {
      const { title, verdict, tone, sentence } = headlineOf(document);
      if (tone !== 'bad' && tone !== 'unknown') return [];
      return [command(tone === 'bad' ? 'error' : 'warning', title, `${verdict}. ${sentence}`)];
    }
  }
}

function command(level: 'error' | 'warning', title: string, message: string): string {
  return `::${level} title=${escapeAnnotationProperty(title)}::${escapeAnnotation(message)}`;
}
