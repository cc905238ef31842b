import type { ConformanceDocument, RuleResult } from '../documents/conformance.ts';
import type { LoadDocument } from '../documents/load.ts';
import type { RunDocument } from '../documents/run-document.ts';
import { areaOf } from '../interface/index.ts';
import { cutText } from './escape/visible-text.ts';
import { escapeXml, escapeXmlAttribute } from './escape/xml.ts';
import { headlineOf } from './text/headline.ts';
import { formatNs, formatRate, secondsBetween } from './text/quantities.ts';
import { statementOf } from './text/rule-words.ts';
import { shiftRows, shiftWords } from './text/shift-rows.ts';
import { thresholdWords } from './text/threshold-margin.ts';

/** One test case: passed where it has no outcome. */
interface TestCase {
  name: string;
  classname: string;
  outcome?: { kind: 'failure' | 'error' | 'skipped'; message: string; type?: string } | undefined;
  /** Under the outcome. */
  detail?: string | undefined;
  /** Of a case that passed, and still has something to say. */
  output?: string | undefined;
}

interface TestSuite {
  name: string;
  timestamp: string;
  timeS: number;
  cases: readonly TestCase[];
}

/** Build servers hold JUnit in memory: what a target says is cut. */
const TEXT_LIMIT = 8000;

/**
 * Run documents as JUnit: a fail is a failure, inconclusive an error, untestable, excluded and
 * waived are skipped with the reason, a warning is passed and says so in its output. The thresholds
 * of a load run, the quantiles of a comparison and the trials of a search are test cases.
 */
export function toJunit(...documents: readonly RunDocument[]): string {
  const suites = documents.flatMap(suitesOf);
  const cases = suites.flatMap((suite) => suite.cases);
  const time = suites.reduce((sum, suite) => sum + suite.timeS, 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="fareproof" ${countsOf(cases)} time="${time.toFixed(3)}">`,
    ...suites.map(renderSuite),
    '</testsuites>',
    '',
  ].join('\n');
}

function suitesOf(document: RunDocument): TestSuite[] {
  if (document.kind === 'load-set') return document.runs.flatMap(suitesOf);
  return [
    {
      name: headlineOf(document).title,
      timestamp: document.startedAt,
      timeS: Math.max(0, secondsBetween(document.startedAt, document.finishedAt)),
      cases: casesOf(document),
    },
  ];
}

function casesOf(document: Exclude<RunDocument, { kind: 'load-set' }>): TestCase[] {
  switch (document.kind) {
    case 'conformance':
      return document.rules.map((rule) => ruleCase(document, rule));
    case 'load':
      return loadCases(document);
    case 'find-max':
      return [
        {
          name: document.objective,
          classname: 'find-max',
          outcome: outcomeOf(headlineOf(document)),
          output: document.trials
            .map((trial) => `${formatRate(trial.rate)}: ${trialWords(trial)}`)
            .join('\n'),
        },
      ];
    case 'comparison':
      return comparisonCases(document);
    case 'bench':
      return document.steps.map((step) => ({
        name: step.name,
        classname: 'bench',
        output: `median ${formatNs(step.nsMedian)}`,
      }));
  }
}

function ruleCase(document: ConformanceDocument, rule: RuleResult): TestCase {
  const base = { name: rule.id, classname: `${document.side}.${areaOf(rule.id)}` };
  switch (rule.verdict) {
    case 'pass':
      return base;
    case 'warn':
      return { ...base, output: `warning: ${ruleDetail(rule)}` };
    case 'fail':
      return {
        ...base,
        outcome: { kind: 'failure', type: rule.level, message: rule.reason },
        detail: ruleDetail(rule),
      };
    case 'inconclusive':
      return {
        ...base,
        outcome: { kind: 'error', type: 'inconclusive', message: rule.reason },
        detail: ruleDetail(rule),
      };
    case 'untestable':
    case 'excluded':
    case 'waived':
      return {
        ...base,
        outcome: { kind: 'skipped', message: `${rule.verdict}: ${rule.reason}` },
        output: rule.remedy === undefined ? undefined : `would make it fit: ${rule.remedy}`,
      };
  }
}

function ruleDetail(rule: RuleResult): string {
  return [
    statementOf(rule),
    `reason: ${rule.reason}`,
    ...(rule.expected === undefined ? [] : [`expected: ${rule.expected}`]),
    ...(rule.got === undefined ? [] : [`got: ${rule.got}`]),
    ...(rule.exchanges.length === 0 ? [] : [`evidence: ${rule.exchanges.join(', ')}`]),
    ...(rule.curl === undefined ? [] : [`repeat: ${rule.curl}`]),
  ].join('\n');
}

function loadCases(document: LoadDocument): TestCase[] {
  const invalid = document.verdict === 'invalid';
  const reason = document.reason ?? headlineOf(document).sentence;
  const thresholds = document.thresholds.map((threshold): TestCase => {
    const { observed } = thresholdWords(threshold);
    const base = { name: threshold.expression, classname: 'load.threshold' };
    if (invalid) return { ...base, outcome: { kind: 'error', type: 'invalid', message: reason } };
    if (threshold.held) return { ...base, output: `observed ${observed}` };
    return {
      ...base,
      outcome: { kind: 'failure', type: 'threshold', message: `observed ${observed}` },
    };
  });
  const valid: TestCase = {
    name: 'the generator was not the limit',
    classname: 'load.generator',
    outcome: invalid ? { kind: 'error', type: 'invalid', message: reason } : undefined,
  };
  const fellShort: TestCase[] =
    document.verdict === 'fell-short' && thresholds.every(({ outcome }) => outcome === undefined)
      ? [
          {
            name: 'the run held',
            classname: 'load',
            outcome: { kind: 'failure', type: 'fell-short', message: reason },
          },
        ]
      : [];
  return [valid, ...thresholds, ...fellShort];
}

function comparisonCases(document: Extract<RunDocument, { kind: 'comparison' }>): TestCase[] {
  const shifts = shiftRows(document).map((shift) => ({
    name: shift.name,
    classname: document.steps ? 'comparison.step' : 'comparison.quantile',
    output: `shift ${shiftWords(shift)}`,
  }));
  const whole = {
    name: 'the candidate is not worse than the base',
    classname: 'comparison',
    outcome: outcomeOf(headlineOf(document)),
    output: headlineOf(document).sentence,
  };
  return [whole, ...shifts];
}

function outcomeOf({ tone, sentence }: { tone: string; sentence: string }): TestCase['outcome'] {
  if (tone === 'bad') return { kind: 'failure', type: 'fell-short', message: sentence };
  if (tone === 'unknown') return { kind: 'error', type: 'not-judged', message: sentence };
  return undefined;
}

function trialWords(trial: { held: boolean; valid: boolean; reason?: string | undefined }): string {
  const words = !trial.valid ? 'not valid' : trial.held ? 'held' : 'fell short';
  return trial.reason === undefined ? words : `${words} (${trial.reason})`;
}

function countsOf(cases: readonly TestCase[]): string {
  const of = (kind: string): number => cases.filter(({ outcome }) => outcome?.kind === kind).length;
  return (
    `tests="${cases.length}" failures="${of('failure')}" errors="${of('error')}" ` +
    `skipped="${of('skipped')}"`
  );
}

function renderSuite(suite: TestSuite): string {
  const timestamp = new Date(suite.timestamp).toISOString().slice(0, 19);
  return [
    `  <testsuite name="${escapeXmlAttribute(suite.name)}" ${countsOf(suite.cases)} ` +
      `time="${suite.timeS.toFixed(3)}" timestamp="${timestamp}">`,
    ...suite.cases.map(renderCase),
    '  </testsuite>',
  ].join('\n');
}

function renderCase({ name, classname, outcome, detail, output }: TestCase): string {
  const open = `    <testcase name="${escapeXmlAttribute(name)}" classname="${escapeXmlAttribute(classname)}" time="0"`;
  const children = [
    ...(outcome ? [renderOutcome(outcome, detail)] : []),
    ...(output ? [`      <system-out>${escapeXml(cutText(output, TEXT_LIMIT))}</system-out>`] : []),
  ];
  if (children.length === 0) return `${open}/>`;
  return [`${open}>`, ...children, '    </testcase>'].join('\n');
}

function renderOutcome(outcome: NonNullable<TestCase['outcome']>, detail = ''): string {
  const type = outcome.type === undefined ? '' : ` type="${escapeXmlAttribute(outcome.type)}"`;
  const open = `      <${outcome.kind} message="${escapeXmlAttribute(cutText(outcome.message, TEXT_LIMIT))}"${type}`;
  return detail === ''
    ? `${open}/>`
    : `${open}>${escapeXml(cutText(detail, TEXT_LIMIT))}</${outcome.kind}>`;
}
