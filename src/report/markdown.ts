import type { ConformanceDocument, RuleResult } from '../documents/conformance.ts';
import type { LoadDocument } from '../documents/load.ts';
import type { RunDocument } from '../documents/run-document.ts';
import { escapeMarkdown, markdownBlock, markdownCode } from './escape/markdown.ts';
import { cutText } from './escape/visible-text.ts';
import { headlineOf, type Tone } from './text/headline.ts';
import { latencyRows } from './text/latency-rows.ts';
import {
  formatCount,
  formatInstant,
  formatNs,
  formatRate,
  formatShare,
  formatShift,
  formatSpan,
  formatUs,
} from './text/quantities.ts';
import { rulesWith, statementOf } from './text/rule-words.ts';
import { shiftRows } from './text/shift-rows.ts';
import { thresholdWords } from './text/threshold-margin.ts';

const MARKS: Readonly<Record<Tone, string>> = {
  good: '✅',
  bad: '❌',
  caution: '⚠️',
  unknown: '❔',
  neutral: '📏',
};

/** A step summary of GitHub takes a mebibyte; the text of a target is cut long before. */
const TEXT_LIMIT = 2000;

/** Run documents as a summary in GitHub's Markdown, such as for `$GITHUB_STEP_SUMMARY`. */
export function toMarkdown(...documents: readonly RunDocument[]): string {
  return documents.map(documentText).join('\n');
}

function documentText(document: RunDocument): string {
  const { title, verdict, tone, sentence } = headlineOf(document);
  const { tool, startedAt, finishedAt } = document;
  return [
    `## ${MARKS[tone]} ${escapeMarkdown(title)}: ${escapeMarkdown(verdict)}\n`,
    `${escapeMarkdown(sentence)}\n`,
    ...(document.interrupted === true ? ['**Interrupted**: what was measured so far.\n'] : []),
    ...bodyParts(document),
    ...(document.notes ?? []).map((note) => `> ${escapeMarkdown(note)}\n`),
    `<sub>${escapeMarkdown(`${tool.name} ${tool.version}`)} · ${formatInstant(startedAt)} · ${formatSpan(startedAt, finishedAt)}</sub>\n`,
  ].join('\n');
}

function bodyParts(document: RunDocument): string[] {
  switch (document.kind) {
    case 'conformance':
      return conformanceParts(document);
    case 'load':
      return loadParts(document);
    case 'load-set':
      return [
        table(
          ['run', 'verdict', 'rate', 'p50', 'p99', 'failed'],
          document.runs.map((run, at) => [
            `${at + 1}`,
            run.verdict,
            formatRate(run.achieved.rate),
            formatUs(run.latencyUs.response.p50),
            formatUs(run.latencyUs.response.p99),
            formatCount(run.achieved.failed),
          ]),
        ),
      ];
    case 'find-max':
      return [
        `Objective: ${markdownCode(document.objective)}\n`,
        table(
          ['rate', 'reached', 'p99', 'outcome'],
          document.trials.map((trial) => [
            formatRate(trial.rate),
            trial.achievedRate === undefined ? '' : formatRate(trial.achievedRate),
            trial.latencyUs === undefined ? '' : formatUs(trial.latencyUs.response.p99),
            escapeMarkdown(
              `${trial.valid ? (trial.held ? 'held' : 'fell short') : 'not valid'}${trial.reason === undefined ? '' : `: ${trial.reason}`}`,
            ),
          ]),
        ),
      ];
    case 'comparison':
      return [
        table(
          [document.steps ? 'step' : 'quantile', 'shift', 'interval'],
          shiftRows(document).map(({ name, shiftPercent, low, high }) => [
            escapeMarkdown(name),
            formatShift(shiftPercent),
            `${formatShift(low)} to ${formatShift(high)}`,
          ]),
        ),
      ];
    case 'bench':
      return [
        table(
          ['step', 'median', 'share'],
          document.steps.map(({ name, nsMedian, share }) => [
            escapeMarkdown(name),
            formatNs(nsMedian),
            formatShare(share),
          ]),
        ),
      ];
  }
}

function conformanceParts(document: ConformanceDocument): string[] {
  const { summary } = document;
  const names = Object.keys(summary).filter((name) => name in VERDICT_ORDER);
  const ordered = names.sort((a, b) => (VERDICT_ORDER[a] ?? 0) - (VERDICT_ORDER[b] ?? 0));
  const counts = summary as Readonly<Record<string, number>>;
  return [
    table(ordered, [ordered.map((name) => `${counts[name]}`)]),
    ...rulesWith(document, 'fail').map((rule) => brokenRule('❌', rule)),
    ...rulesWith(document, 'warn').map((rule) => brokenRule('⚠️', rule)),
    ...rulesWith(document, 'inconclusive').map((rule) => brokenRule('❔', rule)),
    ...folded(
      'Scenarios',
      ['scenario', 'verdict', 'missing'],
      (document.scenarios ?? []).map(({ name, verdict, missing }) => [
        escapeMarkdown(name),
        escapeMarkdown(verdict),
        escapeMarkdown(missing.join('; ')),
      ]),
    ),
    ...reasons('Waived', rulesWith(document, 'waived')),
    ...reasons('Not testable with this profile', rulesWith(document, 'untestable')),
    ...folded(
      'Waivers to look at',
      ['waiver', 'until', 'why'],
      (document.waivers ?? []).flatMap(({ rule, until, problem }) =>
        problem === undefined
          ? []
          : [[markdownCode(rule), escapeMarkdown(until), escapeMarkdown(problem)]],
      ),
    ),
  ];
}

const VERDICT_ORDER: Readonly<Record<string, number>> = {
  pass: 0,
  fail: 1,
  warn: 2,
  inconclusive: 3,
  untestable: 4,
  excluded: 5,
  waived: 6,
};

function brokenRule(mark: string, rule: RuleResult): string {
  const field = (name: string, text: string | undefined): string[] =>
    text === undefined ? [] : [`- ${name}: ${escapeMarkdown(cutText(text, TEXT_LIMIT))}`];
  return [
    `### ${mark} ${markdownCode(rule.id)}\n`,
    `${escapeMarkdown(statementOf(rule))}\n`,
    ...field('reason', rule.reason),
    ...field('expected', rule.expected),
    ...field('got', rule.got),
    ...(rule.curl === undefined ? [] : ['', markdownBlock(cutText(rule.curl, TEXT_LIMIT), 'sh')]),
    '',
  ].join('\n');
}

function reasons(title: string, rules: readonly RuleResult[]): string[] {
  return folded(
    title,
    ['rule', 'why', 'would make it fit'],
    rules.map((rule) => [
      markdownCode(rule.id),
      escapeMarkdown(cutText(rule.reason, TEXT_LIMIT)),
      escapeMarkdown(rule.remedy ?? ''),
    ]),
  );
}

function loadParts(document: LoadDocument): string[] {
  const { achieved, intended, latencyUs, generator } = document;
  const planned = intended.rate === null ? '' : ` of ${formatRate(intended.rate)} planned`;
  return [
    `**${formatRate(achieved.rate)}**${planned} · ${formatCount(achieved.ok)} ok · ` +
      `${formatCount(achieved.failed)} failed · generator ${generator.saturated ? '**saturated**' : 'not saturated'}\n`,
    table(
      ['latency', 'response', 'service'],
      latencyRows(latencyUs).map(({ name, responseUs, serviceUs }) => [
        name,
        formatUs(responseUs),
        formatUs(serviceUs),
      ]),
    ),
    ...(document.thresholds.length === 0
      ? []
      : [
          table(
            ['threshold', 'observed', 'margin', ''],
            document.thresholds.map((threshold) => {
              const { observed, marginPercent } = thresholdWords(threshold);
              return [
                markdownCode(threshold.expression),
                observed,
                marginPercent === null ? '' : formatShare(marginPercent / 100),
                threshold.held ? '✅ held' : '❌ fell short',
              ];
            }),
          ),
        ]),
  ];
}

/** Cells are already escaped. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return `${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}

function folded(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  if (rows.length === 0) return [];
  return [
    `<details><summary>${title} (${rows.length})</summary>\n\n${table(head, rows)}\n</details>\n`,
  ];
}
