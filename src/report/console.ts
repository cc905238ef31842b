import type { ConformanceDocument, RuleResult } from '../documents/conformance.ts';
import type { RunDocument } from '../documents/run-document.ts';
import { escapeTerminalLine } from './escape/terminal.ts';
import { cutText } from './escape/visible-text.ts';
import { loadLines } from './text/console-load.ts';
import { headlineOf } from './text/headline.ts';
import {
  countOf,
  formatNs,
  formatRate,
  formatShare,
  formatShift,
  formatSpan,
  formatUs,
} from './text/quantities.ts';
import { rulesWith, statementOf } from './text/rule-words.ts';
import { shiftRows } from './text/shift-rows.ts';
import { columns, labelled, type Paint, paint, paintTone } from './text/terminal-layout.ts';

/** How a document is put on a terminal. */
export interface ConsoleOptions {
  /** ANSI colours. */
  color: boolean;
}

/**
 * A run document for a terminal: verdict and completeness first, then what is broken and how to
 * repeat it, then the rest. Ends with a line feed.
 */
export function toConsole(document: RunDocument, { color }: ConsoleOptions): string {
  return `${documentLines(document, paint(color)).join('\n')}\n`;
}

function documentLines(document: RunDocument, paints: Paint): string[] {
  const { title, verdict, tone, sentence } = headlineOf(document);
  return [
    `${paintTone(paints, tone, paints.bold(/^[A-Za-z ]+$/.test(verdict) ? verdict.toUpperCase() : verdict))}  ${escapeTerminalLine(title)}`,
    escapeTerminalLine(sentence),
    paints.dim(escapeTerminalLine(contextOf(document))),
    ...(document.interrupted === true
      ? [paints.caution('Interrupted: this is what was measured so far.')]
      : []),
    ...bodyLines(document, paints),
    ...(document.notes ?? []).map((text) => `note  ${escapeTerminalLine(text)}`),
  ];
}

function contextOf(document: RunDocument): string {
  const span = formatSpan(document.startedAt, document.finishedAt);
  switch (document.kind) {
    case 'conformance': {
      const { baseUrl, environment } = document.target;
      const { orders } = document;
      const declared = orders === undefined ? '' : ` · orders ${orders ?? 'not declared'}`;
      return `${baseUrl} (${environment}) · suite ${document.suite}${declared} · seed ${document.seed} · ${span}`;
    }
    case 'load':
      return `${document.target.baseUrl} · ${document.model} model · ${document.engine} · ${span}`;
    case 'find-max':
      return `${document.target.baseUrl} · ${document.objective} · ${countOf(document.trials.length, 'trial')} · ${span}`;
    case 'load-set':
    case 'comparison':
    case 'bench':
      return span;
  }
}

function bodyLines(document: RunDocument, paints: Paint): string[] {
  switch (document.kind) {
    case 'conformance':
      return conformanceLines(document, paints);
    case 'load':
      return loadLines(document, paints);
    case 'load-set':
      return document.runs.flatMap((run) => ['', ...documentLines(run, paints)]);
    case 'find-max':
      return [
        '',
        ...columns([
          ['trial', 'rate', 'reached', 'p99', 'failed', ''],
          ...document.trials.map((trial, at) => [
            `${at + 1}`,
            formatRate(trial.rate),
            trial.achievedRate === undefined ? '' : formatRate(trial.achievedRate),
            trial.latencyUs === undefined ? '' : formatUs(trial.latencyUs.response.p99),
            trial.errors === undefined ? '' : formatShare(trial.errors),
            trial.valid ? (trial.held ? 'held' : 'fell short') : 'not valid',
          ]),
        ]),
      ];
    case 'comparison':
      return [
        '',
        ...columns([
          [document.steps ? 'step' : 'quantile', 'shift', 'from', 'to'],
          ...shiftRows(document).map(({ name, shiftPercent, low, high }) => [
            escapeTerminalLine(name),
            formatShift(shiftPercent),
            formatShift(low),
            formatShift(high),
          ]),
        ]),
      ];
    case 'bench':
      return [
        '',
        ...columns([
          ['step', 'median', 'share'],
          ...document.steps.map(({ name, nsMedian, share }) => [
            escapeTerminalLine(name),
            formatNs(nsMedian),
            formatShare(share),
          ]),
        ]),
      ];
  }
}

function conformanceLines(document: ConformanceDocument, paints: Paint): string[] {
  const { summary } = document;
  const untestable = rulesWith(document, 'untestable');
  return [
    '',
    `  ${paints.good(`${summary.pass} pass`)}   ${countWord(paints.bad, summary.fail, 'fail')}   ` +
      `${countWord(paints.caution, summary.warn, 'warn')}   ` +
      `${countWord(paints.unknown, summary.inconclusive, 'inconclusive')}   ` +
      `${summary.untestable} untestable   ${summary.excluded} excluded   ${summary.waived} waived`,
    ...rulesWith(document, 'fail').flatMap((rule) => ruleLines(paints.bad('FAIL'), rule, paints)),
    ...rulesWith(document, 'warn').flatMap((rule) =>
      ruleLines(paints.caution('WARN'), rule, paints),
    ),
    ...inconclusiveLines(rulesWith(document, 'inconclusive'), paints),
    ...scenarioLines(document),
    ...section('Waived', rulesWith(document, 'waived').map(reasonLine)),
    ...section(
      'Not testable with this profile',
      groupByReason(untestable).flatMap(([reason, ids]) => [
        `  ${escapeTerminalLine(reason)}`,
        `    ${escapeTerminalLine(ids.join(', '))}`,
      ]),
    ),
    ...section(
      'Waivers to look at',
      (document.waivers ?? [])
        .filter(({ problem }) => problem !== undefined)
        .map(({ rule, problem = '' }) => labelled(rule, problem, rule.length)),
    ),
  ];
}

function countWord(color: (text: string) => string, count: number, word: string): string {
  return count === 0 ? `0 ${word}` : color(`${count} ${word}`);
}

function ruleLines(tag: string, rule: RuleResult, paints: Paint): string[] {
  const width = 9;
  const line = (label: string, text: string | undefined): string[] =>
    text === undefined ? [] : [labelled(label, cutText(text, 4000), width)];
  return [
    '',
    `${tag}  ${paints.bold(escapeTerminalLine(rule.id))}  ${paints.dim(`(${rule.level})`)}`,
    ...line('statement', statementOf(rule)),
    ...line('reason', rule.reason),
    ...line('expected', rule.expected),
    ...line('got', rule.got),
    ...line('evidence', rule.exchanges.length > 0 ? rule.exchanges.join(', ') : undefined),
    ...line('repeat', rule.curl),
  ];
}

/** Rules with a reason in common, more than this, are one paragraph. */
const MANY_ALIKE = 3;

function inconclusiveLines(rules: readonly RuleResult[], paints: Paint): string[] {
  const alike = new Map<string, RuleResult[]>();
  for (const rule of rules) alike.set(rule.reason, [...(alike.get(rule.reason) ?? []), rule]);
  const tag = paints.unknown('INCONCLUSIVE');
  return [...alike].flatMap(([reason, some]) =>
    some.length <= MANY_ALIKE
      ? some.flatMap((rule) => ruleLines(tag, rule, paints))
      : [
          '',
          `${tag}  ${paints.bold(countOf(some.length, 'rule'))}`,
          labelled('reason', cutText(reason, 4000), 9),
          labelled('rules', some.map(({ id }) => id).join(', '), 9),
        ],
  );
}

function scenarioLines(document: ConformanceDocument): string[] {
  return section(
    'Scenarios',
    (document.scenarios ?? []).map(({ name, verdict, missing, reason }) => {
      const why = [...(reason === undefined ? [] : [reason]), ...missing].join('; ');
      return labelled(name, why === '' ? verdict : `${verdict}: ${why}`, 28);
    }),
  );
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

function reasonLine(rule: RuleResult): string {
  return labelled(rule.id, rule.reason, rule.id.length);
}

/** What could not be tested, by what would make it possible, or by why it was not. */
function groupByReason(rules: readonly RuleResult[]): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const rule of rules) {
    const reason = rule.remedy === undefined ? rule.reason : `${rule.reason} → ${rule.remedy}`;
    groups.set(reason, [...(groups.get(reason) ?? []), rule.id]);
  }
  return [...groups];
}
