import { describe, expect, test } from 'vitest';
import type { ConformanceDocument } from '../../src/documents/conformance.ts';
import { toCodeQuality, toConsole, toHtml, toJunit, toMarkdown } from '../../src/report/index.ts';
import { parseXml, type XmlElement } from './parse-xml.ts';
import {
  againstSample,
  laterSample,
  ruleComparisonSample,
  serviceSample,
} from './samples/conformance-sample.ts';

const consoleOf = (document: Parameters<typeof toConsole>[0]): string =>
  toConsole(document, { color: false });

const COUNTS = 'fixed 1, newly broken 2, still broken 3, no longer judged 1';

describe('a check after an earlier run', () => {
  test('shows what has changed beside its verdict, in every rendering', () => {
    const document = againstSample();
    const words = `Since last/run.json (2025-11-20 10:27 UTC): ${COUNTS}.`;
    expect(consoleOf(document).split('\n')[2]).toBe(words);
    expect(consoleOf(document)).toMatch(/newly broken +record\/pay-type +pass +fail/);
    expect(toHtml([document])).toContain(words);
    expect(toMarkdown(document)).toContain('newly broken 2');
    expect(toMarkdown(document)).toContain('`record/pay-type` | pass | fail |');
    expect(toJunit(document)).toContain(`name="against" value="${words}"`);
  });

  test('has links from the changes to the rules', () => {
    const page = toHtml([againstSample()]);
    const [, part = ''] = /id="run-1-changes">(.*?)<\/section>/s.exec(page) ?? [];
    const links = [...part.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.slice(0, 4)).toEqual([
      'record/currency-code',
      'record/pay-type',
      'estimate/platform',
      'signature/zero-kept',
    ]);
    for (const id of links) expect(page).toContain(` id="${id}">`);
  });
});

describe('a check that fails on new rules only', () => {
  const casesOf = (document: ConformanceDocument): Map<string, XmlElement> =>
    new Map(
      parseXml(toJunit(document)).children.flatMap(({ children }) =>
        children.map((each) => [each.attributes['name'] ?? '', each]),
      ),
    );
  const outcomeOf = (document: ConformanceDocument, rule: string): string =>
    casesOf(document).get(rule)?.children[0]?.name ?? 'passed';

  test('skips in JUnit what was broken before, and says so', () => {
    const document = againstSample(true);
    expect(outcomeOf(document, 'record/pay-type')).toBe('failure');
    expect(outcomeOf(document, 'token/scope-echo')).toBe('skipped');
    expect(casesOf(document).get('token/scope-echo')?.children[0]?.attributes['message']).toMatch(
      /^still broken: /,
    );
    expect(outcomeOf(againstSample(false), 'token/scope-echo')).toBe('failure');
  });

  test('reports it to CI as a warning', () => {
    const severities = (failsOnNew: boolean): Record<string, string> =>
      Object.fromEntries(
        (
          JSON.parse(toCodeQuality(againstSample(failsOnNew), 'target.yaml')) as {
            check_name: string;
            severity: string;
          }[]
        ).map(({ check_name: name, severity }) => [name, severity]),
      );
    expect(severities(true)).toMatchObject({
      'record/pay-type': 'major',
      'token/scope-echo': 'minor',
    });
    expect(severities(false)).toMatchObject({ 'token/scope-echo': 'major' });
  });
});

describe('a page of several runs', () => {
  test('shows in a later run what has changed since the one before', () => {
    const page = toHtml([serviceSample(), laterSample()]);
    expect(page).toContain('Changes since the run of 2025-11-20 10:27 UTC');
    const [, part = ''] = /id="run-2-changes">(.*?)<\/section>/s.exec(page) ?? [];
    expect(part).toContain('href="#run-2/record/pay-type"');
    expect(page).not.toContain('id="run-1-changes"');
  });

  test('compares no check with a certification', () => {
    const client = { ...laterSample(), side: 'client' as const };
    expect(toHtml([serviceSample(), client])).not.toContain('Changes since');
  });
});

describe('a comparison of two checks', () => {
  test('has both runs, and the reason of each rule that is not fixed', () => {
    const text = consoleOf(ruleComparisonSample());
    expect(text).toMatch(/^WORSE {2}Comparison of now\/run\.json with last\/run\.json\n/);
    expect(text).toContain(`Since 2025-11-20 10:27 UTC: ${COUNTS}.`);
    expect(text).toMatch(/base +last\/run\.json: staging, suite full, 2025-11-20 10:27 UTC, /);
    expect(text).toMatch(/candidate +now\/run\.json: staging, suite full, /);
    expect(text).toMatch(/newly broken +record\/pay-type +pass +fail +now it is fail/);
    expect(text).toMatch(/fixed +signature\/zero-kept +fail +pass\n/);
  });

  test('has a case in JUnit for each rule that changed, or is still broken', () => {
    const [suite] = parseXml(toJunit(ruleComparisonSample())).children;
    const outcomes = suite?.children.map(({ attributes, children }) => [
      attributes['name'],
      children[0]?.name ?? 'passed',
    ]);
    expect(outcomes).toEqual([
      ['no rule is newly broken', 'failure'],
      ['record/currency-code', 'skipped'],
      ['record/pay-type', 'failure'],
      ['estimate/platform', 'skipped'],
      ['signature/zero-kept', 'passed'],
      ...['token/scope-echo', 'record/echoes-request', 'carpool/seats-distinct'].map((rule) => [
        rule,
        'skipped',
      ]),
    ]);
  });
});
