import type { RunDocument } from '../../documents/run-document.ts';
import { cutText, escapeXml, escapeXmlAttribute } from '../escape.ts';
import { exitWords, headlineOf } from '../text/headline.ts';
import { checkedWords, type TextFact } from '../text/load-words.ts';
import { secondsBetween } from '../text/quantities.ts';
import { againstWords } from '../text/rule-changes.ts';
import { spreadCases, type TestCase, type TestOutcome, testCases } from './cases.ts';

interface TestSuite {
  readonly name: string;
  readonly timestamp: string;
  readonly timeS: number;
  /** Names and values; the exit code of the command with its reason among them. */
  readonly properties: readonly TextFact[];
  readonly cases: readonly TestCase[];
}

/** Characters of a text from a target: build servers hold JUnit files in memory. */
const TEXT_LIMIT = 8000;

/**
 * Renders run documents as JUnit XML: a fail is a failure, inconclusive an error; untestable and waived are
 * skipped; a warning passes and has output; a rule that is excluded is no case. The thresholds of a load run,
 * the shifts of a comparison and the objective of a search are test cases. The exit code of the
 * command and its reason are a property of the suite, and a failure of their own where no other case
 * fails. Several runs have a suite with their median and spread before a suite for each.
 */
export function toJunit(...documents: readonly RunDocument[]): string {
  const suites = documents.flatMap(suitesOf);
  const cases = suites.flatMap((suite) => suite.cases);
  // The schema of Jenkins' xUnit plugin allows no `skipped` here.
  const counts = countsOf(cases, 'failure', 'error');
  const timeS = suites.reduce((sum, suite) => sum + suite.timeS, 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'fareproof', ...counts, time: timeS.toFixed(3) })}>`,
    ...suites.map(renderSuite),
    '</testsuites>',
    '',
  ].join('\n');
}

function suitesOf(document: RunDocument): TestSuite[] {
  const { startedAt, finishedAt } = document;
  const exit = exitWords(document);
  const checked = document.kind === 'load' ? checkedWords(document) : null;
  const against = document.kind === 'conformance' ? againstWords(document) : null;
  const suite = {
    name: headlineOf(document).title,
    timestamp: new Date(startedAt).toISOString().slice(0, 19),
    properties: [
      ...(exit === null ? [] : [['exit', exit] as const]),
      ...(checked === null ? [] : [['checked', checked] as const]),
      ...(against === null ? [] : [['against', against] as const]),
    ],
  };
  if (document.kind === 'load-set') {
    // Its time is that of the runs, which have suites of their own.
    return [
      { ...suite, timeS: 0, cases: spreadCases(document) },
      ...document.runs.flatMap(suitesOf),
    ];
  }
  const timeS = Math.max(0, secondsBetween(startedAt, finishedAt));
  return [{ ...suite, timeS, cases: testCases(document) }];
}

/** Name of the attribute that counts an outcome. */
const COUNTS = { failure: 'failures', error: 'errors', skipped: 'skipped' } as const;

function countsOf(
  cases: readonly TestCase[],
  ...kinds: readonly TestOutcome['kind'][]
): Record<string, string> {
  const count = (kind: TestOutcome['kind']): string =>
    `${cases.filter(({ outcome }) => outcome?.kind === kind).length}`;
  return {
    tests: `${cases.length}`,
    ...Object.fromEntries(kinds.map((kind) => [COUNTS[kind], count(kind)])),
  };
}

function renderSuite({ name, timestamp, timeS, properties, cases }: TestSuite): string {
  const counts = countsOf(cases, 'failure', 'error', 'skipped');
  return [
    `  <testsuite${attributes({ name, ...counts, time: timeS.toFixed(3), timestamp })}>`,
    ...renderProperties(properties),
    ...cases.map(renderCase),
    '  </testsuite>',
  ].join('\n');
}

function renderProperties(properties: TestSuite['properties']): string[] {
  if (properties.length === 0) return [];
  return [
    '    <properties>',
    ...properties.map(
      ([name, text]) =>
        `      <property${attributes({ name, value: cutText(text, TEXT_LIMIT) })}/>`,
    ),
    '    </properties>',
  ];
}

function renderCase({ name, classname, outcome, output }: TestCase): string {
  const open = `    <testcase${attributes({ name, classname, time: '0' })}`;
  const children = [
    ...(outcome ? [renderOutcome(outcome)] : []),
    ...(output ? [`      <system-out>${escapeXml(cutText(output, TEXT_LIMIT))}</system-out>`] : []),
  ];
  return children.length === 0
    ? `${open}/>`
    : [`${open}>`, ...children, '    </testcase>'].join('\n');
}

function renderOutcome({ kind, message, type, detail }: TestOutcome): string {
  const open = `      <${kind}${attributes({ message: cutText(message, TEXT_LIMIT), type })}`;
  return detail === undefined
    ? `${open}/>`
    : `${open}>${escapeXml(cutText(detail, TEXT_LIMIT))}</${kind}>`;
}

function attributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escapeXmlAttribute(value)}"`))
    .join('');
}
