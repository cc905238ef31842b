import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ConformanceDocument } from '../../../src/documents/conformance.ts';
import type { SeriesPoint } from '../../../src/documents/load.ts';
import type { ChartData } from '../../../src/report/html/charts/chart-data.ts';
import { toHtml } from '../../../src/report/index.ts';
import { ALL_SAMPLES } from '../samples/all-samples.ts';
import { clientSample, serviceSample } from '../samples/conformance-sample.ts';
import {
  benchSample,
  comparisonSample,
  findMaxSample,
  loadSample,
  loadSetSample,
  stagedSample,
} from '../samples/load-sample.ts';
import { smallConformance } from '../samples/small-samples.ts';

const KIB = 1024;
const LIMIT = 600 * KIB;

const bytes = (page: string): number => Buffer.byteLength(page, 'utf8');

/** A document whose every exchange carries a body of that many characters. */
function withBodies(
  length: number,
  changes: Partial<ConformanceDocument> = {},
): ConformanceDocument {
  const whole = serviceSample(changes);
  const body = '<b>body</b> '.repeat(Math.ceil(length / 12)).slice(0, length);
  return {
    ...whole,
    exchanges: whole.exchanges.map((exchange) => ({
      ...exchange,
      request: { ...exchange.request, body },
      response: exchange.response && { ...exchange.response, body, bodyBytes: length },
    })),
  };
}

/** The run as it would be if every rule held. */
function allHeld(document: ConformanceDocument): ConformanceDocument {
  const rules = document.rules.map((rule) => ({ ...rule, verdict: 'pass' as const }));
  const summary = { ...document.summary, fail: 0, warn: 0, inconclusive: 0, untestable: 0 };
  return {
    ...document,
    rules,
    summary: { ...summary, waived: 0, excluded: 0, pass: rules.length },
  };
}

describe('a page stays under 600 KB', () => {
  test.each([
    ['a whole run on a service', [serviceSample()]],
    ['bodies of 60 KB', [withBodies(60 * KIB)]],
    ['a load run of a minute', [loadSample(60)]],
    ['a load run of ten minutes', [loadSample(600)]],
    ['a load run of a day', [loadSample(86_400)]],
    ['three load runs', [loadSetSample()]],
    ['everything at once', [...Object.values(ALL_SAMPLES), withBodies(KIB), clientSample()]],
  ])('%s', (_, documents) => {
    expect(bytes(toHtml(documents))).toBeLessThan(LIMIT);
  });

  test('and under 300 KB if nothing is broken', () => {
    expect(bytes(toHtml([allHeld(serviceSample())]))).toBeLessThan(250 * KIB);
    expect(bytes(toHtml([allHeld(withBodies(60 * KIB))]))).toBeLessThan(300 * KIB);
  });

  test('one body of 10 MB, cut with a note', () => {
    const small = smallConformance();
    const [exchange, ...exchanges] = small.exchanges;
    const body = 'x'.repeat(10 * KIB * KIB);
    const response = { ...exchange!.response!, body, bodyBytes: body.length };
    const rules = small.rules.map((rule) => ({ ...rule, shownBy: exchange!.id }));
    const page = toHtml([
      { ...small, rules, exchanges: [{ ...exchange!, response }, ...exchanges] },
    ]);
    expect(bytes(page)).toBeLessThan(LIMIT);
    expect(page).toMatch(/Truncated: the body has 10 MiB; run\.json has all of it/);
  });
});

test.each(Object.entries(ALL_SAMPLES))(
  '%s: the page loads nothing, and links only to its own parts',
  (_, sample) => {
    const page = toHtml([sample]);
    for (const [, address = ''] of page.matchAll(/<a [^>]*href="([^"]*)"/g))
      expect(address).toMatch(/^#/);
    const loaded = [...page.matchAll(/<(?!a )[^>]*\s(?:href|src|action|srcset|poster)="([^"]*)"/g)];
    for (const [, address = ''] of loaded) expect(address).toMatch(/^(#|data:image\/svg)/);
    expect(page).not.toMatch(/@import|url\(|\sstyle="|\son[a-z]+="/);
  },
);

test('the policy allows only the script and the style of the page', () => {
  const page = toHtml([serviceSample()]);
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  const directives = Object.fromEntries(
    policy
      .replaceAll('&#39;', "'")
      .split('; ')
      .map((directive) => directive.split(/ (.*)/, 2) as [string, string]),
  );
  const hash = (text: string): string =>
    `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
  const [, script = ''] = /<script>([\s\S]*?)<\/script>/.exec(page) ?? [];
  expect(directives).toEqual({
    'default-src': "'none'",
    'script-src': hash(script),
    'style-src': hash(style),
    'img-src': 'data:',
    'base-uri': "'none'",
    'form-action': "'none'",
  });
});

describe('an exchange under a broken rule', () => {
  const whole = serviceSample();
  const broken = whole.rules.find(({ id }) => id === 'token/scope-echo');
  const id = broken?.exchanges[1] ?? '';
  const shown = toHtml([
    {
      ...whole,
      exchanges: whole.exchanges.map((one) => ({
        ...one,
        ...(one.request.body === null ? {} : { request: { ...one.request, bodyBytes: 1_234 } }),
        signed: {
          text: `_=2025&nostr=of-${one.id}`,
          key: 'own' as const,
          ...(one.id === id ? { alteration: 'digit 32 changed' } : {}),
        },
      })),
    },
  ]);

  test('shows what was signed, and how the signature was spoiled', () => {
    expect(shown).toContain(`Signed: <code>_=2025&amp;nostr=of-${id}</code>`);
    expect(shown.match(/Signature: <code>digit 32 changed<\/code>/g)).toHaveLength(1);
  });

  test('shows the bytes that were sent and received', () => {
    const panel = shown.slice(shown.indexOf(`of-${id}`), shown.indexOf(`of-${id}`) + 900);
    expect(panel).toContain('1,234 bytes sent');
    expect(panel).toMatch(/\d+ bytes received; Content-Length \d+</);
  });

  test('a passed rule has neither', () => {
    const passed = whole.rules.find(({ verdict }) => verdict === 'pass');
    expect(shown).not.toContain(`of-${passed?.exchanges[1]}<`);
  });
});

test('each rule of a joint page has an anchor by its id, and no two are the same', () => {
  const [first, second] = [serviceSample(), serviceSample()];
  const page = toHtml([loadSample(60), first, second, clientSample()]);
  const ids = Array.from(page.matchAll(/\sid="([^"]*)"/g), ([, id]) => id ?? '');
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain('token/nostr-case');
  expect(ids).toContain('run-3/token/nostr-case');
  expect(ids).toContain('client/nostr');
  const linked = Array.from(page.matchAll(/href="#((?!rules=)[^"]*)"/g), ([, id]) => id ?? '');
  expect(linked.filter((id) => !ids.includes(id))).toEqual([]);
});

test('the data table of each chart names the chart', () => {
  const page = toHtml([loadSample(30)]);
  const idsIn = (pattern: RegExp): string[] => [...page.matchAll(pattern)].map(([, id = '']) => id);
  const charts = idsIn(/<div class="plot plot-\d+" id="([^"]*)"/g);
  expect(charts.length).toBeGreaterThan(3);
  expect(idsIn(/<details class="figures" data-chart="([^"]*)"/g)).toEqual(charts);
});

test('each threshold is shown against its bound, those that were missed first', () => {
  const run = loadSample(3);
  const [p99] = run.thresholds;
  const late = { ...p99!, observed: 500_000, held: false };
  const unknown = { ...p99!, metric: 'max', observed: null, held: true };
  const page = toHtml([{ ...run, thresholds: [...run.thresholds, late, unknown] }]);
  const [, gauges = ''] = /<ul class="gauges"[^>]*>([\s\S]*?)<\/ul>/.exec(page) ?? [];
  const words = [...gauges.matchAll(/<span>(<b>.*)<\/span>/g)].map(([, text = '']) =>
    text.replaceAll(/<[^>]*>/g, ''),
  );
  expect(words[1]).toBe('p99 500 ms, bound 20 ms, 25 x the bound');
  expect(words[0]).toMatch(/^errors 0\.\d+ %, bound 0\.010 %, \d+ x the bound$/);
  expect(words[3]).toBe('rate 4,998/s, bound 4,900/s, margin 1.99 %');
  expect(words[4]).toBe('max no data, bound 20 ms');
  const bars = [...gauges.matchAll(/<rect width="([\d.]+)%".*?<line x1="([\d.]+)%"/g)];
  // Of one that was missed, the value is beyond the mark of the bound.
  expect(bars.map(([, value, bound]) => Number(value) > Number(bound))).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
});

describe('a conformance page', () => {
  const page = toHtml([serviceSample()]);

  test('has every rule of the document once', () => {
    expect(page.match(/<li class="rule"/g)).toHaveLength(serviceSample().rules.length);
  });

  test('shows verdict and completeness first', () => {
    const main = page.slice(page.indexOf('<main'));
    const places = ['Not conformant', 'Not complete', 'Findings', 'id="run-1-rules"'].map((words) =>
      main.indexOf(words),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('opens only the first failed rule', () => {
    expect(
      page.match(/<li class="rule" data-verdict="fail" id="[^"]*">\n<details open>/g),
    ).toHaveLength(1);
    expect(page.match(/<details open>/g)).toHaveLength(1);
  });

  test('lists what would let the run judge more, the most rules first, with the command', () => {
    const whole = serviceSample();
    const rules = whole.rules.map((rule, at) => {
      if (rule.id === 'quota/ban-lifts') {
        const { remedy: _, ...hopeless } = rule;
        return hopeless;
      }
      if (rule.verdict === 'untestable') return { ...rule, repeat: 'fareproof check --allow-ban' };
      return at < 3 ? { ...rule, verdict: 'untestable' as const, remedy: 'add a key' } : rule;
    });
    const shown = toHtml([{ ...whole, rules }]);
    const items = [
      ...shown.matchAll(/<b>(\+?\d rules?):<\/b> ([^<]*)<\/p>\s*(<div class="command">)?/g),
    ];
    expect(items.map(([, count, words, command]) => [count, words, Boolean(command)])).toEqual([
      ['+3 rules', 'add a key', false],
      ['+2 rules', 'mark a partner as spendable in the profile and run with bans allowed', true],
      ['1 rule', 'A ban check needs a partner that may be banned.', false],
    ]);
    expect(shown).toContain('To judge more');
  });

  test('begins with what to do next: the first finding, else the first remedy, with its command', () => {
    const nextOf = (verdicts: readonly string[]): string | undefined => {
      const whole = serviceSample();
      const rules = whole.rules
        .filter(({ verdict }) => verdicts.includes(verdict))
        .map((rule) => ({ ...rule, repeat: `fareproof check --rule ${rule.id}` }));
      const [, head = ''] =
        /<header class="verdict([\s\S]*?)<\/header>/.exec(toHtml([{ ...whole, rules }])) ?? [];
      return /class="next"[\s\S]*?<pre>([^<]*)/.exec(head)?.[1];
    };
    expect(nextOf(['pass', 'untestable', 'fail'])).toBe(
      'fareproof check --rule signature/zero-kept',
    );
    expect(nextOf(['pass', 'untestable'])).toBe('fareproof check --rule quota/ban-lasts-24h');
    expect(nextOf(['pass'])).toBeUndefined();
  });

  test('without a finding, or an open rule, the next step is that of the document', () => {
    const next = { words: 'judge a later build', command: 'fareproof check --against last' };
    const rules = serviceSample().rules.filter(({ verdict }) => verdict === 'pass');
    const text = toHtml([{ ...serviceSample(), rules, next }]);
    expect(text).toContain('<b>Next:</b> judge a later build</p>');
    expect(text).toContain('<pre>fareproof check --against last</pre>');
  });

  test('the map has each rule as a link, and each area as a filter of its section', () => {
    const [map = ''] = /<ul class="map">[\s\S]*?<\/ul>/.exec(page) ?? [];
    expect(map.match(/<a class="\w+" href="#[a-z-]+\/[a-z0-9-]+" title="/g)).toHaveLength(
      serviceSample().rules.length,
    );
    expect(map).toMatch(/href="#rules=[^"]*&amp;q=record%2F&amp;in=run-1">record</);
  });

  test('keeps the evidence of broken rules if there is no room for all', () => {
    const crowded = toHtml([withBodies(60 * KIB)]);
    const item = /data-verdict="fail"[\s\S]*?<\/li>/.exec(crowded)?.[0] ?? '';
    expect(item.match(/<article id="/g)).toHaveLength(3);
    const held = [...crowded.matchAll(/data-verdict="pass"[\s\S]*?<\/li>/g)].map(([text]) => text);
    const last = held.at(-1) ?? '';
    expect(last.match(/\n?<p><b>x\d+<\/b> .* → 200<\/small>/g)).toHaveLength(3);
    expect(crowded).toContain('run.json has everything');
  });

  test('shows an exchange once, under the worst rule that points to it, and links to it elsewhere', () => {
    const whole = serviceSample();
    const rules = whole.rules.map((rule) => ({ ...rule, exchanges: ['x1', 'x2'] }));
    const shared = toHtml([{ ...whole, rules }]);
    expect(shared.match(/<article id="/g)).toHaveLength(2);
    const [item = ''] = /<li class="rule" data-verdict="fail"[\s\S]*?<\/li>/.exec(shared) ?? [];
    expect(item.match(/<article id="x[12]"/g)).toHaveLength(2);
    expect(shared.match(/<p><a href="#x2">x2<\/a> /g)).toHaveLength(rules.length - 1);
  });

  test('omits header fields that no rule uses, and says so', () => {
    expect(page).toContain('content-type: application/json');
    expect(page).not.toMatch(/content-length: /);
    expect(page).toContain('checks (Date, Content-Length');
    expect(page).toContain('<pre>POST /v1/oauth/token\n');
  });

  test('has no broken internal link', () => {
    const ids = new Set([...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#((?!rules=)[^"]*)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.size).toBe([...page.matchAll(/\sid="/g)].length);
  });
});

test('a page has the chart script only if it has a chart', () => {
  expect(toHtml([serviceSample()])).not.toContain('uPlot');
  expect(toHtml([serviceSample(), loadSample(3)])).toContain('uPlot');
});

test('several documents have an overview and a section each', () => {
  const page = toHtml(Object.values(ALL_SAMPLES));
  for (const at of Object.keys(Object.values(ALL_SAMPLES))) {
    expect(page).toContain(`<a href="#run-${Number(at) + 1}">`);
    expect(page).toContain(`<section class="run-section" id="run-${Number(at) + 1}"`);
  }
});

test('runs of one target are told apart by verdict and time, and their sections by their names', () => {
  const page = toHtml([serviceSample(), serviceSample()]);
  const labels = [...page.matchAll(/<section class="run-section"[^>]* aria-label="([^"]*)"/g)];
  expect(new Set(labels.map(([, label]) => label)).size).toBe(2);
  const [nav = ''] = /<nav[^]*?<\/nav>/.exec(page) ?? [];
  expect(
    nav.match(/<span class="bad" aria-hidden="true">✕<\/span> Conformance of staging, 10:27</g),
  ).toHaveLength(2);
});

describe('a certificate', () => {
  const client = { name: 'ride-client', version: '2.1', partner: 'Acme' };
  const facts = [
    ['issued', '2026-03-02'],
    ['key of the issuer', 'Ed25519, SHA-256 ab12'],
  ] as const;
  const page = toHtml([clientSample({ client })], {
    facts,
    verify: 'fareproof certify --verify c.json',
  });
  const [head = '', rest = ''] = page.slice(page.indexOf('<main')).split('<details class="run">');

  test('begins with whose it is, what it says of itself, and how to verify it', () => {
    expect(head).toContain('<h1>ride-client 2.1</h1>');
    for (const [name, text] of [
      ['Partner', 'Acme'],
      ['Issued', '2026-03-02'],
      ['Key of the issuer', 'Ed25519, SHA-256 ab12'],
    ])
      expect(head).toContain(`<dt>${name}</dt><dd>${text}</dd>`);
    expect(head).toMatch(/<pre>fareproof certify --verify c\.json<\/pre>\s*<button/);
    expect(page).not.toContain('class="notes"><li>');
  });

  test('folds the certification below', () => {
    expect(rest).toContain('id="client/nostr"');
    expect(head).not.toContain('id="client/nostr"');
  });
});

test('the last answers of a run are not drawn as a collapse of its rate, and stages are marked', () => {
  const run = stagedSample(20);
  const last = { ...run.series.at(-1)!, t: 20, rate: 3, plannedRate: 0, failed: 2 };
  const chartsOf = (point: SeriesPoint) => {
    const page = toHtml([{ ...run, series: [...run.series, point] }]);
    const island = /<script type="application\/json" id="charts">(.*?)<\/script>/.exec(page)?.[1];
    type Chart = Pick<ChartData, 'id' | 'series' | 'marks'>;
    const [rate, , failed] = JSON.parse(island ?? '[]') as Chart[];
    return {
      rates: rate?.series.map(({ values }) => values.at(-1)),
      failed: failed?.series[0]?.values.at(-1),
      marks: rate?.marks?.map(({ value }) => value),
    };
  };
  const drawn = { rates: [null, null], failed: 2, marks: [0, 8, 16] };
  expect(chartsOf({ ...last, drained: true })).toEqual(drawn);
  expect(chartsOf(last).rates).toEqual([0, 3]);
});

test('late answers count in the last second of the response time, where they draw no collapse', () => {
  const run = loadSample(20);
  const lastOf = (changes: object, late: object) => {
    const before = { ...run.series.at(-1)!, ...changes };
    const drained = { ...before, t: 20, rate: 3, p50: 40, drained: true as const, ...late };
    const page = toHtml([{ ...run, series: [...run.series.slice(0, -1), before, drained] }]);
    const island = /<script type="application\/json" id="charts">(.*?)<\/script>/.exec(page)?.[1];
    const [, latency] = JSON.parse(island ?? '[]') as Pick<ChartData, 'series'>[];
    return latency?.series.map(({ values }) => values.slice(-2));
  };
  const whole = { p50: 400, p99: 4000, max: 9000 };
  const none = [400, 4000, 9000].map((us) => [us, null]);
  expect(lastOf(whole, { p99: 40, max: 40 })).toEqual(none);
  const peak = { p99: 2e6, max: 2e6 };
  expect(lastOf(whole, peak)).toEqual([400, 2e6, 2e6].map((us) => [us, null]));
  // Nothing was answered in time.
  const empty = { rate: 0, p50: 0, p99: 0, max: 0 };
  expect(lastOf(empty, { ...peak, p50: 2e6 })).toEqual([2e6, 2e6, 2e6].map((us) => [us, null]));
});

test('the shifts of a comparison end at -100 %', () => {
  const [shift] = comparisonSample().quantiles;
  const page = toHtml([
    comparisonSample({ quantiles: [{ ...shift!, shiftPercent: 320, low: 200, high: 480 }] }),
  ]);
  const [axis = ''] = /<div class="row axis"[^]*?<\/div>/.exec(page) ?? [];
  const ticks = [...axis.matchAll(/class="tick"[^>]*>([^<]+)/g)].map(([, words = '']) => words);
  expect(ticks[0]).toBe('−100 %');
  expect(ticks.at(-1)).toBe('+400 %');
});

test('each row of dots has an axis of its own', () => {
  const page = toHtml([comparisonSample()]);
  const strips = [...page.matchAll(/<svg class="strip tall"[^]*?<\/svg>/g)].map(([strip]) => strip);
  expect(strips.length).toBeGreaterThan(2);
  for (const strip of strips) expect(strip).toMatch(/class="tick"[^>]*>[\d.]+ (µs|ms)</);
});

describe('a search without a result', () => {
  const search = findMaxSample();
  const trials = search.trials.map((trial) => ({ ...trial, held: false, valid: false }));
  const unmeasured = { ...search, trials, interval: { low: 0, high: null } };
  const chartOf = (document: typeof search): ChartData => {
    const island = /<script type="application\/json" id="charts">(.*?)<\/script>/.exec(
      toHtml([document]),
    )?.[1];
    return (JSON.parse(island ?? '[]') as ChartData[])[0]!;
  };

  test('draws no bounds', () => {
    expect(chartOf(unmeasured)).toMatchObject({ limits: [], series: [{ label: 'invalid' }] });
  });

  test('one with a result has its bounds as lines', () => {
    const { low, high } = search.interval;
    expect(chartOf(search).limits?.map(({ value }) => value)).toEqual([high, low]);
  });
});

test('an unreadable histogram omits its charts, not the run', () => {
  const page = toHtml([
    loadSample(3, { histograms: { response: 'nonsense', service: '', all: '' } }),
  ]);
  expect(page).toContain('Over time');
  expect(page).not.toContain('run-1-percentiles');
});

test('a bench adds up no alternatives, and shows those beside the steps of a request', () => {
  const page = toHtml([benchSample()]);
  const [steps = '', others = ''] = page.split('id="run-1-others"');
  expect(steps).toContain('price the route');
  expect(steps).not.toContain('all steps');
  expect(others).toContain('whole request');
  expect(page).not.toMatch(/>[^<]* 0 %</);
  expect(toHtml([{ ...benchSample(), steps: [] }])).not.toContain('Time by step');
});
