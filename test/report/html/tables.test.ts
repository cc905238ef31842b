import { expect, it } from 'vitest';
import type { ConformanceDocument } from '../../../src/documents/conformance.ts';
import { table } from '../../../src/report/html/blocks.ts';
import { toHtml } from '../../../src/report/index.ts';
import { clientSample, serviceSample } from '../samples/conformance-sample.ts';

/** Cells of a table, by its caption: tags are left out, and elements are apart from each other. */
function cellsOf(document: ConformanceDocument, caption: string): string[][] {
  const pattern = new RegExp(`<caption[^>]*>${caption}.*?<tbody>(.*?)</tbody>`, 's');
  const rows = (pattern.exec(toHtml([document]))?.[1] ?? '').split('</tr>').slice(0, -1);
  const words = (cell: string): string =>
    cell
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  return rows.map((row) =>
    row
      .split(/<\/t[hd]>/)
      .slice(0, -1)
      .map(words),
  );
}

it('lists scenarios with their verdicts as signs and words', () => {
  const document = clientSample();
  const [first] = document.scenarios ?? [];
  const odd = { ...first!, verdict: 'odd' as 'pass', exitCode: null };
  expect(cellsOf({ ...document, scenarios: [...document.scenarios!, odd] }, 'Scenarios')).toEqual([
    ['plain', '✓ pass', '0', ''],
    ['token-expires', '✕ fail', '0', ''],
    ['lost-answer', '? inconclusive', '1', 'an estimate after the lost answer'],
    ['plain', 'odd', '–', ''],
  ]);
});

it('lists waivers with their problems', () => {
  const [id = ''] = serviceSample().rules.map((rule) => rule.id);
  const waiver = { rule: id, until: '2026-02-01', reason: 'a ticket' };
  const waivers = [waiver, { ...waiver, problem: 'it ended' }] as ConformanceDocument['waivers'];
  expect(cellsOf(serviceSample({ waivers }), 'Waivers')).toEqual([
    [id, '2026-02-01', 'a ticket', ''],
    [id, '2026-02-01', 'a ticket', 'it ended'],
  ]);
});

/** A target of which a table asks nothing else. */
const sitesWith = (facts: { control: boolean; metered: boolean }): ConformanceDocument['sites'] =>
  [facts] as unknown as ConformanceDocument['sites'];

it('shows what partners of a profile spent, of sixty at most', () => {
  const sites = sitesWith({ control: false, metered: true });
  const spend = Object.fromEntries(
    Array.from({ length: 62 }, (_, at) => [`p${at}`, { platform: at, refresh: 0, user: 1 }]),
  );
  const document = serviceSample({ sites, spend });
  const cells = cellsOf(document, 'Token requests that count');
  expect(cells).toHaveLength(60);
  expect(cells[5]?.[0]).toBe('p5');
  expect(cells[5]?.join(' ')).toMatch(/^p5 .*5.* 0/);
  expect(/\d+ more partners in run.json/.exec(toHtml([document]))?.[0]).toMatch(/^2 /);
});

it('adds up what fresh partners of a control API spent', () => {
  const sites = sitesWith({ control: true, metered: false });
  const spend = {
    a: { platform: 2, refresh: 1, user: 0 },
    b: { platform: 3, refresh: 0, user: 1 },
  };
  const page = toHtml([serviceSample({ sites, spend })]);
  expect(/2 fresh partners of the control API: (.*?) requests in all/.exec(page)?.[1]).toBe(
    '5 platform, 1 user, 1 refresh',
  );
});

it.each([
  ['some of several columns', [false, true, false], ['', ' class="number"', ''], false],
  ['all columns but the first', [false, true, true], ['', '', ''], true],
])('aligns numbers in %s', (_, numeric, classes, isWhole) => {
  const columns = numeric.map((isNumeric, at) => ({
    name: `c${at}`,
    cell: () => String(at),
    ...(isNumeric && { numeric: true as const }),
  }));
  const { text } = table('caption', columns, [{}]);
  expect([...text.matchAll(/<th scope="col"([^>]*)>/g)].map(([, one]) => one)).toEqual(classes);
  expect(text.includes('<table class="numbers"')).toBe(isWhole);
});
