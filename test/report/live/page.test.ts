import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { livePage, livePolicy, liveView } from '../../../src/report/live/page.ts';
import type { LiveSubject } from '../../../src/report/live/parts.ts';
import { LiveState } from '../../../src/report/live/state.ts';
import { HOSTILE_TEXTS } from '../samples/hostile-text.ts';

const pageOf = (subject: LiveSubject): string =>
  livePage(subject, liveView(subject, new LiveState()));

const load = (text: string) =>
  pageOf({
    kind: 'load',
    title: text,
    state: 'Waiting',
    facts: [['Target', text]],
    thresholds: [
      { expression: 'p99<20ms', metric: 'p99', unit: 'us', comparison: '<', bound: 20_000 },
      { expression: text, metric: 'errors', unit: 'share', comparison: '<', bound: 0.01 },
    ],
  });

test('the policy allows only the script and the style of the page, by hash', () => {
  for (const kind of ['load', 'certify', 'serve'] as const) {
    const page = pageOf({ kind, title: 't', state: 's', facts: [] });
    const policy = livePolicy();
    const hashOf = (text: string): string =>
      `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
      ([, text = '']) => text,
    );
    const styles = [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text = '']) => text);
    expect([scripts.length, styles.length]).toEqual([1, 1]);
    expect(policy).toContain(`script-src ${hashOf(scripts[0] ?? '')};`);
    expect(policy).toContain(`style-src ${hashOf(styles[0] ?? '')};`);
  }
});

test('hostile text creates no element: the page has the same tags as with plain text', () => {
  const tagsOf = (page: string): string[] =>
    [
      ...page.replaceAll(/<(script|style)>[\s\S]*?<\/\1>/g, '').matchAll(/<\/?[a-z][a-z0-9]*/gi),
    ].map(([tag]) => tag.toLowerCase());
  const plain = tagsOf(load('plain'));
  for (const text of HOSTILE_TEXTS) {
    const page = load(text);
    expect(tagsOf(page)).toEqual(plain);
    expect(page).not.toMatch(/[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/u);
  }
});

test('starts of several stages are marked in each chart', () => {
  const marksOf = (starts: number[]): unknown[] => {
    const stages = starts.map((startS) => ({ startS }));
    const page = pageOf({ kind: 'load', title: 't', state: 's', facts: [], stages });
    const island = /<script type="application\/json" id="charts">(.*?)<\/script>/.exec(page)?.[1];
    return (JSON.parse(island ?? '[]') as { marks?: unknown }[]).map(({ marks }) => marks);
  };
  const marks = [
    { label: 'stage 1', value: 0 },
    { label: 'stage 2', value: 8.5 },
  ];
  expect(marksOf([0, 8.5])).toEqual(Array.from({ length: 5 }, () => marks));
  expect(marksOf([0])).toEqual(Array.from({ length: 5 }, () => undefined));
});

test('a threshold on response time is drawn, one on errors is not', () => {
  const page = load('errors<1%');
  const island = /<script type="application\/json" id="charts">(.*?)<\/script>/.exec(page)?.[1];
  const charts = JSON.parse(island ?? '[]') as { id: string; limits: unknown[] }[];
  expect(charts.map(({ id }) => id)).toEqual([
    'live-rate',
    'live-latency',
    'live-failed',
    'live-health',
    'live-lag',
  ]);
  expect(charts[1]?.limits).toEqual([{ label: 'p99<20ms', value: 20_000 }]);
});

test.each(['certify', 'serve'] as const)('%s shows the shares of its requests', (kind) => {
  const wordsAfter = (requests: number, good: number): string => {
    const state = new LiveState();
    state.add({ kind: 'tally', requests, good, counts: [] });
    const page = livePage(subjectOf(kind), liveView(subjectOf(kind), state));
    return page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  };
  const [good, bad] =
    kind === 'certify' ? ['Without violation', 'With violations'] : ['Accepted (200)', 'Refused'];
  expect(wordsAfter(8, 6)).toContain(`Requests 8 ${good} 6 75 % ${bad} 2 25 %`);
  expect(wordsAfter(0, 0)).toMatch(
    new RegExp(`Requests 0 ${good.replaceAll(/[()]/g, '.')} 0 ${bad} 0 [A-Z]`),
  );
});

function subjectOf(kind: LiveSubject['kind']): LiveSubject {
  return { kind, title: 't', state: 's', facts: [] };
}
