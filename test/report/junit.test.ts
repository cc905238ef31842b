import { describe, expect, test } from 'vitest';
import type { RunDocument } from '../../src/documents/run-document.ts';
import { toJunit } from '../../src/report/index.ts';
import { headlineOf } from '../../src/report/text/headline.ts';
import { junitFaults } from './junit-format.ts';
import { parseXml, type XmlElement } from './parse-xml.ts';
import { ALL_SAMPLES } from './samples/all-samples.ts';
import { serviceSample } from './samples/conformance-sample.ts';
import { HOSTILE_TEXTS, withText } from './samples/hostile-text.ts';
import { comparisonSample, loadSample, loadSetSample } from './samples/load-sample.ts';
import { smallConformance } from './samples/small-samples.ts';

const suitesOf = (...documents: RunDocument[]): XmlElement[] =>
  parseXml(toJunit(...documents)).children;

const casesIn = (suites: readonly XmlElement[]): XmlElement[] =>
  suites.flatMap(({ children }) => children).filter(({ name }) => name === 'testcase');

function casesOf(document: RunDocument): Map<string, XmlElement> {
  const cases = casesIn(suitesOf(document));
  return new Map(cases.map((each) => [each.attributes['name'] ?? '', each]));
}

const childrenOf = (element: XmlElement | undefined): string[] =>
  (element?.children ?? []).map(({ name }) => name);

describe('a conformance run as JUnit', () => {
  const cases = casesOf(serviceSample());

  test.each([
    ['signature/zero-kept', 'fail', ['failure']],
    ['lifecycle/refresh-single-use-concurrent', 'inconclusive', ['error']],
    ['quota/ban-lifts', 'untestable', ['skipped', 'system-out']],
    ['carpool/seats-distinct', 'waived', ['skipped']],
    ['record/echoes-request', 'warn', ['system-out']],
    ['signature/trimmed', 'pass', []],
  ])('%s, a %s, is %j', (rule, _verdict, children) => {
    expect(childrenOf(cases.get(rule))).toEqual(children);
  });

  test('a failure has reason, expected, evidence and curl', () => {
    const [failure] = cases.get('signature/zero-kept')?.children ?? [];
    expect(failure?.attributes['message']).toContain('refused with 401');
    for (const word of ['expected: status 200', 'evidence: x19', 'curl -sS']) {
      expect(failure?.text).toContain(word);
    }
  });

  test('a skipped rule has a reason', () => {
    const [skipped] = cases.get('quota/ban-lifts')?.children ?? [];
    expect(skipped?.attributes['message']).toMatch(/^untestable: .*may be banned/);
  });
});

test('every rule that was selected is one case, in the class of its side and area', () => {
  const all = serviceSample().rules;
  const rules = all.filter(({ verdict }) => verdict !== 'excluded');
  expect(rules.length).toBeLessThan(all.length);
  const names = suitesOf(serviceSample()).flatMap(({ children }) =>
    children.map(({ attributes }) => `${attributes['classname']} ${attributes['name']}`),
  );
  expect(names).toEqual(rules.map(({ id }) => `service.${id.split('/')[0]} ${id}`));
});

const propertiesOf = (element: XmlElement | undefined): (string | undefined)[] =>
  (element?.children.find(({ name }) => name === 'properties')?.children ?? []).map(
    ({ attributes: { name, value } }) => `${name}: ${value}`,
  );

describe('several load runs as JUnit', () => {
  test('have their median and spread in a suite before those of the runs', () => {
    const exit = { code: 1, reason: 'a threshold was missed' } as const;
    const [all, ...runs] = suitesOf({ ...loadSetSample(), exit });
    expect(runs).toHaveLength(3);
    expect(propertiesOf(all)).toEqual(['exit: Exit 1: a threshold was missed']);
    const [spread] = casesIn(all ? [all] : []);
    expect(spread?.children[0]?.text).toContain(
      'p99: median 3.48 ms, lowest 3.30 ms, highest 3.91 ms',
    );
  });

  test('count no run that was interrupted, and pass none of its thresholds', () => {
    const sample = loadSetSample();
    const [held, short] = sample.runs;
    const ended = { interrupted: true, verdict: 'invalid', invalidBy: 'interruption' } as const;
    const cut = { ...held!, ...ended, thresholds: short!.thresholds };
    const thresholds = cut.thresholds.map((one) => ({
      ...one,
      held: true,
      judged: false as const,
    }));
    const set = { ...sample, runs: [held!, { ...cut, thresholds }] };
    expect(headlineOf(set)).toMatchObject({
      verdict: 'Interrupted',
      sentence: '1 held, 0 fell short, 0 invalid, 1 interrupted.',
    });
    const [, , interrupted] = suitesOf(set);
    const outcomes = casesIn(interrupted ? [interrupted] : [])
      .filter(({ attributes }) => attributes['classname'] === 'load.threshold')
      .map(({ children }) => children[0]?.attributes['message']);
    expect(outcomes.length).toBeGreaterThan(0);
    expect(new Set(outcomes)).toEqual(new Set(['not judged, because the run was interrupted']));
  });

  test('say that none is valid and whole', () => {
    const cases = casesOf({ ...loadSetSample(), spread: null });
    const spread = cases.get('median and spread of the runs');
    expect(spread?.children[0]?.text).toBe('no run is valid and whole');
  });
});

test('a comparison as JUnit has the names and the figures of both sides', () => {
  const { sides } = comparisonSample();
  const a = { ...sides!.a, name: '1.4' };
  const cases = casesOf(comparisonSample({ sides: { a, b: { ...sides!.b, name: '1.5' } } }));
  const output = cases
    .get('the candidate is not worse than the base')
    ?.children.find(({ name }) => name === 'system-out')?.text;
  expect(output).toContain('base: 1.4 (staging, https://old.example.test');
  expect(output).toContain('rate: base 1.4 4,998/s (4,980/s to 5,003/s), candidate 1.5 –');
});

describe('a load run as JUnit', () => {
  test('has the count of responses that were checked as a property', () => {
    const { achieved } = loadSample(2);
    const run = loadSample(2, {
      achieved: { ...achieved, checked: 98 },
      statuses: { 200: 9859 },
    });
    expect(propertiesOf(suitesOf(run)[0])).toEqual([
      'checked: 98 of 9,859 responses with status 200',
    ]);
  });

  test('has a case for each threshold', () => {
    const cases = casesOf(loadSample(3));
    expect(childrenOf(cases.get('p99<20ms'))).toEqual(['system-out']);
    expect(childrenOf(cases.get('errors<0.01%'))).toEqual(['failure']);
    expect(childrenOf(cases.get('the generator was not the limit'))).toEqual(['system-out']);
  });

  test('that is invalid has errors and no failure', () => {
    const cases = casesOf(loadSample(3, { verdict: 'invalid' }));
    expect([...cases.values()].map((one) => childrenOf(one)[0])).toEqual([
      'error',
      'error',
      'error',
      'error',
    ]);
  });

  test('that fell short for another reason than a threshold has a failure', () => {
    const cases = casesOf(loadSample(3, { thresholds: [], reason: 'aborted on errors>5%' }));
    expect(childrenOf(cases.get('verdict'))).toEqual(['failure']);
  });
});

test.each([
  ['worse', ['failure', 'system-out']],
  ['inconclusive', ['error', 'system-out']],
  ['equivalent', ['system-out']],
] as const)('a comparison that is %s is %j', (verdict, children) => {
  const cases = casesOf(comparisonSample({ verdict }));
  expect(childrenOf(cases.get('the candidate is not worse than the base'))).toEqual(children);
});

test.each(Object.entries(ALL_SAMPLES))('%s: the counts are those of the cases', (_, sample) => {
  const root = parseXml(toJunit(sample));
  const cases = casesIn(root.children);
  const having = (name: string): string =>
    `${cases.filter((each) => childrenOf(each).includes(name)).length}`;
  expect(root.attributes).toMatchObject({
    tests: `${cases.length}`,
    failures: having('failure'),
    errors: having('error'),
  });
  const skipped = root.children.reduce(
    (sum, { attributes }) => sum + Number(attributes['skipped']),
    0,
  );
  expect(`${skipped}`).toBe(having('skipped'));
  expect(cases.length).toBeGreaterThan(0);
});

test('several documents are suites of one file', () => {
  expect(suitesOf(...Object.values(ALL_SAMPLES))).toHaveLength(11);
});

describe('Jenkins and Surefire accept', () => {
  const faultsOf = (...documents: RunDocument[]): string[] =>
    junitFaults(parseXml(toJunit(...documents)));

  test.each(Object.entries(ALL_SAMPLES))('%s', (_, sample) => {
    expect(faultsOf(sample)).toEqual([]);
  });

  test('several documents in one file', () => {
    expect(faultsOf(...Object.values(ALL_SAMPLES))).toEqual([]);
  });

  test.each([1, 3, 130])('each kind of document with exit code %i', (code) => {
    const exit = { code, reason: 'a reason' };
    const documents = Object.values(ALL_SAMPLES).map((sample) => ({ ...sample, exit }));
    expect(faultsOf(...documents)).toEqual([]);
  });

  test('a run with a diagnosis', () => {
    const diagnosis = { finding: 'no key is right', remedy: 'check the key', isWhole: true };
    expect(faultsOf({ ...serviceSample(), diagnosis })).toEqual([]);
  });

  test.each(HOSTILE_TEXTS)('a document with %j in it', (text) => {
    expect(faultsOf(withText(smallConformance(), text))).toEqual([]);
  });
});

const SUITE = '<testsuite name="s" tests="1" failures="0" errors="0" skipped="0"';
const CASE = '<testcase name="c" time="0"';
const inCase = (children: string): string => `${SUITE}>${CASE}>${children}</testcase></testsuite>`;

test.each([
  ['<testsuites skipped="0"/>', 'testsuites has skipped'],
  [`<testsuites>${SUITE} time="1.2345"/></testsuites>`, 'testsuite has time="1.2345"'],
  [`<testsuites>${SUITE} timestamp="2026-01-01"/></testsuites>`, 'has timestamp="2026-01-01"'],
  ['<testsuites><testsuite name="s"/></testsuites>', 'testsuite lacks tests'],
  [`<testsuites>${inCase('<failure message="m"/>')}</testsuites>`, 'failure lacks type'],
  [`<testsuites>${inCase('<skipped/>')}</testsuites>`, 'skipped lacks message'],
  [`<testsuites>${inCase('<skipped message=""/>')}</testsuites>`, 'skipped has message=""'],
  [`<testsuites>${inCase('<skipped type="t" message="m"/>')}</testsuites>`, 'skipped has type'],
  [`<testsuites>${inCase('<output/>')}</testsuites>`, 'output in testcase'],
  [`<testsuites>${inCase('<system-out/><system-out/>')}</testsuites>`, 'system-out twice'],
  [
    `<testsuites>${inCase('<system-out/><error message="m" type="t"/>')}</testsuites>`,
    'error in testcase is out of order',
  ],
  [`<testsuites>${SUITE}>words</testsuite></testsuites>`, 'text in testsuite'],
  [`${SUITE}/>`, 'the root is testsuite'],
])('%s is refused: %s', (xml, fault) => {
  expect(junitFaults(parseXml(xml)).join('; ')).toContain(fault);
});
