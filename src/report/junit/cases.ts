import type { ComparisonDocument } from '../../documents/comparison.ts';
import type { ConformanceDocument, RuleResult } from '../../documents/conformance.ts';
import type { FindMaxDocument, Trial } from '../../documents/find-max.ts';
import type { LoadDocument, LoadSetDocument } from '../../documents/load.ts';
import type { RuleComparisonDocument } from '../../documents/rule-comparison.ts';
import type { RunDocument } from '../../documents/run-document.ts';
import { areaOf } from '../../interface/catalogue.ts';
import { exitWords, type Headline, headlineOf } from '../text/headline.ts';
import { generatorFacts } from '../text/load-words.ts';
import { formatNs, formatRate, namedShifts, shiftWords } from '../text/quantities.ts';
import {
  changeRows,
  changeWords,
  comparedFacts,
  isTolerated,
  kindOutcome,
} from '../text/rule-changes.ts';
import { commandFacts, triedWords, verdictFacts } from '../text/rule-words.ts';
import { setTable, sideFacts, sidesTable, spreadText } from '../text/spread-tables.ts';
import { observedWords, trialOutcome } from '../text/tables.ts';

/** A test case of JUnit; it passed where it has no outcome. No text is escaped. */
export interface TestCase {
  readonly name: string;
  readonly classname: string;
  readonly outcome?: TestOutcome | undefined;
  /** Observation, in words. */
  readonly output?: string | undefined;
}

/** Outcome of a test case that did not pass; a failure and an error need a type, a skip has none. */
export type TestOutcome = {
  readonly message: string;
  readonly detail?: string;
} & (
  | { readonly kind: 'failure' | 'error'; readonly type: string }
  | { readonly kind: 'skipped'; readonly type?: never }
);

/** A document that is a suite of its own. */
type SuiteDocument = Exclude<RunDocument, { kind: 'load-set' }>;

/** The test cases of a document, with one for the exit code where it is not 0 and no other says why. */
export function testCases(document: SuiteDocument): TestCase[] {
  const cases = casesOf(document);
  const { exit } = document;
  const kind = exit?.code === 1 ? 'failure' : 'error';
  const isShown = cases.some(({ outcome }) => outcome?.kind === kind);
  if (exit === undefined || exit.code === 0 || isShown) return cases;
  const outcome: TestOutcome = { kind, type: 'exit', message: exitWords(document) ?? '' };
  const classname = document.kind === 'conformance' ? document.side : document.kind;
  return [...cases, { name: 'exit code', classname, outcome }];
}

function casesOf(document: SuiteDocument): TestCase[] {
  switch (document.kind) {
    case 'conformance':
      return [
        ...diagnosisCases(document),
        ...document.rules.flatMap((rule) => ruleCase(document, rule) ?? []),
        ...exploredCases(document),
      ];
    case 'load':
      return loadCases(document);
    case 'find-max':
      return [findMaxCase(document)];
    case 'comparison':
      return comparisonCases(document);
    case 'rule-comparison':
      return ruleComparisonCases(document);
    case 'bench':
      return document.steps.map(({ name, nsMedian }) => ({
        name,
        classname: 'bench',
        output: `median ${formatNs(nsMedian)}`,
      }));
  }
}

function diagnosisCases({ diagnosis, side }: ConformanceDocument): TestCase[] {
  if (diagnosis === undefined) return [];
  const { finding, remedy, exchange } = diagnosis;
  const evidence = exchange === undefined ? '' : `\nevidence: ${exchange}`;
  const detail = `remedy: ${remedy}${evidence}`;
  const outcome: TestOutcome = { kind: 'error', type: 'diagnosis', message: finding, detail };
  return [{ name: 'diagnosis', classname: side, outcome }];
}

/** A case for each find of `--explore`, with its steps; that of a should is no failure. */
function exploredCases({ explored, rules, side }: ConformanceDocument): TestCase[] {
  return (explored?.finds ?? []).map(({ rule, reason, words, file }) => {
    const detail = [...words, `case: ${file}`].join('\n');
    const base = { name: `explored: ${rule}`, classname: `${side}.explored` };
    const isFail = rules.some(({ id, verdict }) => id === rule && verdict === 'fail');
    if (!isFail) return { ...base, output: `warning: ${reason}\n${detail}` };
    return { ...base, outcome: { kind: 'failure', type: 'must', message: reason, detail } };
  });
}

/** Null for a rule that was not selected: a test suite lists what it runs. */
function ruleCase(document: ConformanceDocument, rule: RuleResult): TestCase | null {
  const { id, level, verdict, reason, remedy } = rule;
  const base = { name: id, classname: `${document.side}.${areaOf(id)}` };
  const detail = ruleDetail(rule);
  if (isTolerated(document, id)) {
    const outcome = { kind: 'skipped', message: `still broken: ${reason}` } as const;
    return { ...base, outcome, output: detail };
  }
  switch (verdict) {
    case 'pass': {
      const tried = triedWords(document, id);
      return tried === null ? base : { ...base, output: `pass: ${tried}` };
    }
    case 'warn':
      return { ...base, output: `warning: ${detail}` };
    case 'fail':
      return { ...base, outcome: { kind: 'failure', type: level, message: reason, detail } };
    case 'inconclusive':
      return { ...base, outcome: { kind: 'error', type: verdict, message: reason, detail } };
    case 'excluded':
      return null;
    case 'untestable':
    case 'waived':
      return {
        ...base,
        outcome: { kind: 'skipped', message: `${verdict}: ${reason}` },
        output: remedy === undefined ? undefined : `remedy: ${remedy}`,
      };
  }
}

function ruleDetail(rule: RuleResult): string {
  return [
    rule.statement,
    ...verdictFacts(rule).map(([name, text]) => `${name}: ${text}`),
    ...(rule.exchanges.length === 0 ? [] : [`evidence: ${rule.exchanges.join(', ')}`]),
    ...commandFacts(rule).map(([name, command]) => `${name}: ${command}`),
  ].join('\n');
}

function loadCases(document: LoadDocument): TestCase[] {
  const { reason } = document;
  const isCut = document.invalidBy === 'interruption';
  const invalid: TestOutcome | undefined =
    document.verdict === 'invalid' && !isCut
      ? { kind: 'error', type: 'invalid', message: reason }
      : undefined;
  const thresholds = document.thresholds.map((threshold): TestCase => {
    const observed = `observed ${observedWords(threshold)}`;
    const base = { name: threshold.expression, classname: 'load.threshold' };
    if (invalid) return { ...base, outcome: invalid };
    if (threshold.judged === false) {
      const cause = document.interrupted ? 'the run was interrupted' : 'of the generator';
      const message = `not judged, because ${cause}`;
      return { ...base, output: observed, outcome: { kind: 'skipped', message } };
    }
    if (threshold.held) return { ...base, output: observed };
    return { ...base, outcome: { kind: 'failure', type: 'threshold', message: observed } };
  });
  const generator: TestCase = {
    name: 'the generator was not the limit',
    classname: 'load.generator',
    output: generatorFacts(document.generator)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
    outcome: invalid,
  };
  const isExplained = thresholds.some(({ outcome }) => outcome?.kind === 'failure');
  const isShort = document.verdict === 'fell-short' && !isExplained;
  const outcome: TestOutcome = isShort
    ? { kind: 'failure', type: 'fell-short', message: reason }
    : { kind: 'error', type: 'interrupted', message: reason };
  const whole = isShort || isCut ? [{ name: 'verdict', classname: 'load', outcome }] : [];
  return [generator, ...thresholds, ...whole];
}

/** Median and spread of several runs; the runs themselves say whether they passed. */
export function spreadCases({ spread }: LoadSetDocument): TestCase[] {
  const table = setTable(spread);
  const output = table === null ? 'no run is valid and whole' : spreadText(table).join('\n');
  return [{ name: 'median and spread of the runs', classname: 'load.runs', output }];
}

function findMaxCase(document: FindMaxDocument): TestCase {
  const trialWords = (trial: Trial): string => {
    const { words } = trialOutcome(trial);
    return `${formatRate(trial.rate)}: ${words} (${trial.reason})`;
  };
  return {
    name: document.objective,
    classname: 'find-max',
    outcome: outcomeOf(headlineOf(document)),
    output: document.trials.map(trialWords).join('\n'),
  };
}

function comparisonCases(document: ComparisonDocument): TestCase[] {
  const sides = sidesTable(document);
  const whole = wholeCase(document, 'the candidate is not worse than the base', [
    ...sideFacts(document).map(([name, label]) => `${name}: ${label}`),
    ...(sides === null ? [] : spreadText(sides)),
  ]);
  const shifts = namedShifts(document).map((shift) => ({
    name: shift.name,
    classname: document.steps ? 'comparison.step' : 'comparison.quantile',
    output: `shift ${shiftWords(shift)}`,
  }));
  return [whole, ...shifts];
}

/** A case for each rule that has changed, or is still broken, and one for the whole. */
function ruleComparisonCases(document: RuleComparisonDocument): TestCase[] {
  const facts = comparedFacts(document).map(([name, words]) => `${name}: ${words}`);
  const whole = wholeCase(document, 'no rule is newly broken', facts);
  const rules = changeRows(document).map((change): TestCase => {
    const { kind, rule, after, reason } = change;
    const base = { name: rule, classname: `rule-comparison.${document.side}` };
    const { words } = kindOutcome(kind);
    const message = `${changeWords(change)}: ${reason}`;
    if (kind === 'fixed') return base;
    const outcome: TestOutcome =
      kind === 'newlyBroken' && after === 'fail'
        ? { kind: 'failure', type: words, message }
        : { kind: 'skipped', message };
    return { ...base, outcome };
  });
  return [whole, ...rules];
}

/** The case of a whole comparison: its verdict, and facts on both sides. */
function wholeCase(
  document: ComparisonDocument | RuleComparisonDocument,
  name: string,
  facts: readonly string[],
): TestCase {
  const headline = headlineOf(document);
  const output = [headline.sentence, ...facts].join('\n');
  return { name, classname: document.kind, outcome: outcomeOf(headline), output };
}

function outcomeOf({ tone, sentence }: Headline): TestOutcome | undefined {
  if (tone === 'bad') return { kind: 'failure', type: 'fell-short', message: sentence };
  if (tone === 'unknown') return { kind: 'error', type: 'not-judged', message: sentence };
  return undefined;
}
