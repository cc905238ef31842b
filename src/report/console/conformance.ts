import type { ConformanceDocument, RuleResult } from '../../documents/conformance.ts';
import type { Exchange } from '../../documents/exchange.ts';
import type { ScenarioResult } from '../../documents/scenario.ts';
import { cutText, escapeTerminalLine } from '../escape.ts';
import { decisiveFacts } from '../text/exchange-words.ts';
import { countOf } from '../text/quantities.ts';
import { CHANGE_COLUMNS, changeRows } from '../text/rule-changes.ts';
import {
  commandFacts,
  groupByReason,
  type RuleGroup,
  rulesWith,
  sameOutputAs,
  scenarioReason,
  verdictFacts,
} from '../text/rule-words.ts';
import { FIXED_SPACE, labelled, type Paint, section, tableSection } from './layout.ts';

/** Width of the labels of a rule. */
const LABEL_WIDTH = 9;
/** Characters of a text from a target. */
const TEXT_LIMIT = 4000;
/** Inconclusive rules with the same reason that are listed one by one. */
const LISTED_ALIKE = 3;

/** A conformance run on a terminal: counts, rules to look at, and why others were not judged. */
export function conformanceLines(document: ConformanceDocument, paints: Paint): string[] {
  const { scenarios = [], waivers = [] } = document;
  return [
    '',
    countLine(document, paints),
    ...changesLines(document, paints),
    ...diagnosisLines(document, paints),
    ...rulesWith(document, 'fail').flatMap((rule) =>
      ruleLines(paints.bad('FAIL'), rule, paints, document.exchanges),
    ),
    ...rulesWith(document, 'warn').flatMap((rule) =>
      ruleLines(paints.caution('WARN'), rule, paints, document.exchanges),
    ),
    ...inconclusiveLines(document, paints),
    ...section('Scenarios', allScenarioLines(scenarios)),
    ...section(
      'Waived',
      rulesWith(document, 'waived').map(({ id, reason }) => labelled(id, reason, id.length)),
    ),
    ...section(
      'Untestable',
      groupByReason(rulesWith(document, 'untestable')).flatMap(untestableLines),
    ),
    ...section(
      'Waiver problems',
      waivers.flatMap(({ rule, problem }) =>
        problem === undefined ? [] : [labelled(rule, problem, rule.length)],
      ),
    ),
  ];
}

/** The rules that have changed since an earlier run, or are still broken. */
function changesLines({ against }: ConformanceDocument, paints: Paint): string[] {
  const rows = against ? changeRows(against) : [];
  return tableSection({ title: 'Changes', columns: CHANGE_COLUMNS, rows }, paints);
}

/** Verdicts of scenarios that are shown, those to look at first. */
const SHOWN = ['fail', 'inconclusive', 'warn'];

/** Each verdict on scenarios, with its reason, by one of them; the others of it, and those passed, in a line. */
function allScenarioLines(scenarios: readonly ScenarioResult[]): string[] {
  const namesOf = (some: readonly ScenarioResult[]): string =>
    some.map(({ name }) => name).join(', ');
  const shown = SHOWN.flatMap((verdict) => scenarios.filter((one) => one.verdict === verdict));
  const groups = [...new Set(shown.map(scenarioWords))].map((words) =>
    shown.filter((one) => scenarioWords(one) === words),
  );
  const firsts = groups.flatMap(([first]) => first ?? []);
  const passed = scenarios.filter(({ verdict }) => !SHOWN.includes(verdict));
  return [
    ...firsts.flatMap((first, at) => {
      const others = groups[at]?.slice(1) ?? [];
      const lines = scenarioLines(first, firsts.slice(0, at));
      return others.length === 0 ? lines : [...lines, labelled('also', namesOf(others), 28)];
    }),
    ...(passed.length === 0 ? [] : [labelled('pass', namesOf(passed), 28)]),
  ];
}

function scenarioWords(scenario: ScenarioResult): string {
  const reason = scenarioReason(scenario);
  return reason === '' ? scenario.verdict : `${scenario.verdict}: ${reason}`;
}

/** A scenario with the last lines of the client; one line if they are those of one before it. */
function scenarioLines(scenario: ScenarioResult, before: readonly ScenarioResult[]): string[] {
  const words = scenarioWords(scenario);
  const { name, output = [], log } = scenario;
  const same = sameOutputAs(scenario, before);
  if (same !== null) return [labelled(name, `${words} (output as in ${same})`, 28)];
  return [
    labelled(name, words, 28),
    ...output.map((line) => `    | ${escapeTerminalLine(line)}`),
    ...(log === undefined ? [] : [`    ${escapeTerminalLine(`log: ${log}`)}`]),
  ];
}

function diagnosisLines({ diagnosis }: ConformanceDocument, paints: Paint): string[] {
  if (diagnosis === undefined) return [];
  const { finding, remedy, exchange } = diagnosis;
  return [
    '',
    `${paints.bad('DIAGNOSIS')}  ${escapeTerminalLine(finding, TEXT_LIMIT)}`,
    labelled('remedy', remedy, LABEL_WIDTH),
    ...(exchange === undefined ? [] : [labelled('evidence', exchange, LABEL_WIDTH)]),
  ];
}

function countLine({ summary }: ConformanceDocument, paints: Paint): string {
  const colored = (color: (text: string) => string, count: number, word: string): string =>
    count === 0 ? `0 ${word}` : color(`${count} ${word}`);
  const counts = [
    paints.good(`${summary.pass} pass`),
    colored(paints.bad, summary.fail, 'fail'),
    colored(paints.caution, summary.warn, 'warn'),
    colored(paints.unknown, summary.inconclusive, 'inconclusive'),
    `${summary.untestable} untestable`,
    `${summary.excluded} excluded`,
    `${summary.waived} waived`,
  ];
  return `  ${counts.map((count) => count.replace(' ', FIXED_SPACE)).join('   ')}`;
}

function ruleLines(
  tag: string,
  rule: RuleResult,
  paints: Paint,
  exchanges: readonly Exchange[] = [],
): string[] {
  const facts = [
    ['statement', rule.statement],
    ...verdictFacts(rule),
    ...(rule.exchanges.length > 0 ? [['evidence', evidenceWords(rule.exchanges)]] : []),
    ...decisiveFacts(rule, exchanges),
    ...commandFacts(rule),
  ];
  return [
    '',
    `${tag}  ${paints.bold(escapeTerminalLine(rule.id))}  ${paints.dim(`(${rule.level})`)}`,
    ...facts.map(([name = '', text = '']) =>
      labelled(name, cutText(text, TEXT_LIMIT), LABEL_WIDTH),
    ),
  ];
}

/** Exchanges that a terminal names; the others are in the other reports. */
const MOST_EVIDENCE = 12;

function evidenceWords(exchanges: readonly string[]): string {
  const named = exchanges.slice(0, MOST_EVIDENCE).join(', ');
  const more = exchanges.length - MOST_EVIDENCE;
  return more > 0 ? `${named} and ${more} more` : named;
}

function inconclusiveLines(document: ConformanceDocument, paints: Paint): string[] {
  const tag = paints.unknown('INCONCLUSIVE');
  const rules = rulesWith(document, 'inconclusive');
  // A client that sent nothing has a reason for each rule, all of which say that.
  const isSilent = document.side === 'client' && document.diagnosis !== undefined;
  const shown =
    isSilent && rules.length > LISTED_ALIKE
      ? rules.map((rule) => ({ ...rule, reason: 'see the diagnosis' }))
      : rules;
  return groupByReason(shown).flatMap((group) =>
    group.length <= LISTED_ALIKE
      ? group.flatMap((rule) => ruleLines(tag, rule, paints))
      : [
          '',
          `${tag}  ${paints.bold(countOf(group.length, 'rule'))}`,
          labelled('reason', cutText(group[0].reason, TEXT_LIMIT), LABEL_WIDTH),
          labelled('rules', group.map(({ id }) => id).join(', '), LABEL_WIDTH),
        ],
  );
}

function untestableLines(group: RuleGroup): string[] {
  const [{ reason, remedy }] = group;
  return [
    `  ${escapeTerminalLine(remedy === undefined ? reason : `${reason} → ${remedy}`)}`,
    `    ${escapeTerminalLine(group.map(({ id }) => id).join(', '))}`,
  ];
}
