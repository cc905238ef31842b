import type { RunDocument } from '../documents/run-document.ts';
import { escapeAnnotation, escapeAnnotationProperty } from './escape/annotation.ts';
import { headlineOf } from './text/headline.ts';
import { rulesWith, statementOf } from './text/rule-words.ts';
import { thresholdWords } from './text/threshold-margin.ts';

/**
 * A run document as workflow commands of GitHub Actions, one a line: errors for what is broken or
 * fell short, warnings for the rest that a reader should see. Empty where there is nothing to say.
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
        ...rulesWith(document, 'fail').map((rule) =>
          command('error', rule.id, `${statementOf(rule)}\n${rule.reason}`),
        ),
        ...rulesWith(document, 'warn').map((rule) =>
          command('warning', rule.id, `${statementOf(rule)}\n${rule.reason}`),
        ),
        ...rulesWith(document, 'inconclusive').map((rule) =>
          command('warning', rule.id, `inconclusive: ${rule.reason}`),
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
            `fell short: observed ${thresholdWords(threshold).observed}`,
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
