import { describe, expect, test } from 'vitest';
import type { LoadDocument } from '../../src/documents/load.ts';
import { RULE_VERDICTS } from '../../src/documents/rule-verdict.ts';
import {
  toConsole,
  toGithubAnnotations,
  toHtml,
  toJson,
  toJunit,
  toMarkdown,
} from '../../src/report/index.ts';
import { ALL_SAMPLES } from './samples/all-samples.ts';
import { clientSample, serviceSample } from './samples/conformance-sample.ts';
import {
  benchSample,
  comparisonSample,
  findMaxSample,
  loadSample,
  loadSetSample,
  stagedSample,
} from './samples/load-sample.ts';

const plain = { color: false };

/** That the words stand in the text in this order. */
function expectInOrder(text: string, ...words: string[]): void {
  const places = words.map((word) => text.indexOf(word));
  expect(words.filter((word) => !text.includes(word))).toEqual([]);
  expect(places).toEqual([...places].sort((a, b) => a - b));
}

describe('on a terminal', () => {
  test('evidence beyond a line is counted, not listed', () => {
    const whole = serviceSample();
    const withEvidence = (count: number): string =>
      toConsole(
        {
          ...whole,
          rules: whole.rules.map((rule) => ({
            ...rule,
            exchanges: Array.from({ length: count }, (_, at) => `x${at + 1}`),
          })),
        },
        plain,
      );
    expect(withEvidence(12)).toMatch(/evidence +x1, .*, x12$/m);
    expect(withEvidence(170)).toMatch(/evidence +x1, .*, x12 and 158 more$/m);
  });

  test('a failed rule has what was signed, and the bytes, of the exchange that shows it', () => {
    const whole = serviceSample();
    const failed = whole.rules.find(({ verdict }) => verdict === 'fail');
    const shownBy = failed?.exchanges[1] ?? '';
    const textOf = (signed: string): string =>
      toConsole(
        {
          ...whole,
          rules: whole.rules.map((rule) => (rule === failed ? { ...rule, shownBy } : rule)),
          exchanges: whole.exchanges.map((one) =>
            one.id === shownBy
              ? {
                  ...one,
                  request: { ...one.request, bodyBytes: 81 },
                  signed: { text: signed, key: 'empty' as const },
                }
              : one,
          ),
        },
        plain,
      );
    expectInOrder(
      textOf('_=2025&nostr=aB3dE6'),
      `FAIL  ${failed?.id}`,
      '  signed     _=2025&nostr=aB3dE6',
      '  key        the empty key, on purpose',
      '  bytes      81 bytes sent; ',
      ' bytes received; Content-Length ',
      '  reproduce',
    );
    expect(textOf('long'.repeat(100))).not.toContain('  signed ');
  });

  test('verdict and completeness come first, then failures with commands to repeat them', () => {
    expectInOrder(
      toConsole(serviceSample(), plain),
      'NOT CONFORMANT, 98 of 102 rules judged, 1 waived  Conformance of staging',
      'Not complete: 4 rules not judged (3 untestable, 1 inconclusive)',
      'To judge more: mark a partner as spendable',
      'FAIL  signature/zero-kept',
      'The service includes a pair whose value is the number 0 in the signature.',
      'reason     it was refused with 401',
      'expected   status 200',
      'reproduce  curl -sS',
      'WARN  record/echoes-request',
      'INCONCLUSIVE  lifecycle/refresh-single-use-concurrent',
      'Waived\n  carpool/seats-distinct',
      'Untestable',
      'quota/ban-lasts-24h, quota/ban-lifts',
      'record/pay-type  the rule passes: this waiver can go',
    );
  });

  test('a conformant and complete run shows both', () => {
    const text = toConsole(
      serviceSample({
        verdict: 'conformant',
        complete: true,
        rules: [],
        summary: { ...serviceSample().summary, fail: 0, warn: 0 },
      }),
      plain,
    );
    expectInOrder(text, 'CONFORMANT', 'No rule failed. Complete');
  });

  test('a certification shows its scenarios and what was missing', () => {
    expect(toConsole(clientSample(), plain)).toMatch(
      /lost-answer +inconclusive: an estimate after the lost answer/,
    );
  });

  test('of the scenarios what failed comes first, with those alike and those passed in one line each', () => {
    const sample = clientSample();
    const [scenario] = sample.scenarios ?? [];
    const named = (verdict: string, ...names: string[]) =>
      names.map((name) => ({ ...scenario!, name, verdict, missing: [], reason: verdict }));
    const scenarios = [
      ...named('pass', 'ban', 'carpool'),
      ...named('fail', 'failures', 'steady-user', 'steady-platform'),
    ];
    expect(toConsole({ ...sample, scenarios }, plain)).toMatch(
      /failures +fail: fail[^]*\n +also +steady-user, steady-platform\n +pass +ban, carpool\n/,
    );
  });

  test('a load run shows response and service time, thresholds with margin, health of both sides', () => {
    expectInOrder(
      toConsole(loadSample(60), plain),
      'FELL SHORT  Load on staging',
      '4,998/s of 5,000/s planned',
      'latency  response  service',
      'p99       3.61 ms  2.89 ms',
      'p99<20ms      held         3.61 ms           81.9 %',
      'errors<0.01%  fell short   0.048 %  4.8 x the bound',
      'not saturated: workers 2, CPU 0.81 cores, waited for a core 0.10 %, event loop utilization 46 %',
      'server     CPU 0.93 cores',
    );
  });

  test('where requests failed, the response time of all stands beside that of the successes', () => {
    const run = loadSample(60);
    const { response } = run.latencyUs;
    const all = { ...response, p99: 5_000_000, count: response.count + 144 };
    const failed = { ...run, latencyUs: { ...run.latencyUs, all } };
    expectInOrder(
      toConsole(failed, plain),
      'latency  response  service  all requests',
      'p99       3.61 ms  2.89 ms           5 s',
    );
    expect(toMarkdown(failed)).toContain('| p99 | 3.61 ms | 2.89 ms | 5 s |');
    expect(toHtml([failed])).toContain('All requests');
    const whole = { ...run, latencyUs: { ...run.latencyUs, all: response } };
    expect(toConsole(whole, plain)).not.toContain('all requests');
  });

  test('requests that were sent again are shown, wherever there are any', () => {
    const run = loadSample(2);
    const again = { ...run, achieved: { ...run.achieved, reconnected: 3 } };
    const words = '3 requests were sent again, since the target closed a kept connection';
    expect(toConsole(again, plain)).toContain(words);
    expect(toMarkdown(again)).toContain(words);
    expect(toHtml([again])).toMatch(/Sent again on a fresh connection<\/th><td[^>]*>3</);
    const none = { ...run, achieved: { ...run.achieved, reconnected: 0 } };
    for (const text of [toConsole(none, plain), toMarkdown(none), toHtml([none])]) {
      expect(text.toLowerCase()).not.toContain('sent again');
    }
  });

  test('a run without a success has no latencies, and not those of 0', () => {
    const run = loadSample(2);
    const none = { min: 0, p50: 0, p90: 0, p99: 0, p99_9: 0, p99_99: 0, max: 0, mean: 0, count: 0 };
    const all = run.latencyUs.response;
    const silent = { ...run, latencyUs: { response: none, service: none, all } };
    expect(toConsole(silent, plain)).toMatch(/p99 +– +– +3.61 ms/);
    expect(toMarkdown(silent)).toContain('| p99 | – | – | 3.61 ms |');
    expectInOrder(toHtml([silent]), '<dt>p99</dt><dd><b>–</b>');
  });

  test('a threshold that falls short by failed requests says so, wherever it is shown', () => {
    const [threshold] = loadSample(60).thresholds;
    const shortBy = (observed: number | null) =>
      loadSample(60, {
        thresholds: [
          { ...threshold!, observed, ofSuccesses: 19_000, shortByFailures: true, held: false },
        ],
      });
    for (const [observed, words] of [
      [25_000, '25 ms, since failed requests count as slower than any bound; 19 ms without them'],
      [null, 'a failed request, since failed requests count as slower than any bound; 19 ms'],
    ] as const) {
      const run = shortBy(observed);
      for (const text of [toConsole(run, plain), toMarkdown(run), toHtml([run])]) {
        expect(text).toContain(words);
      }
    }
  });

  test('a threshold that proves nothing is not judged, in every form', () => {
    const { thresholds } = loadSample(60);
    const run = loadSample(60, {
      verdict: 'held',
      thresholds: [thresholds[0]!, { ...thresholds[1]!, held: false, judged: false }],
    });
    for (const text of [toConsole(run, plain), toMarkdown(run), toHtml([run])]) {
      expect(text).toContain('not judged');
    }
    expect(toJunit(run)).toContain('not judged, because of the generator');
    expect(toGithubAnnotations(run)).toBe('');
  });

  test('a comparison shows the shifts of service time with those of response time, in every format', () => {
    const [shift] = comparisonSample().quantiles;
    const document = comparisonSample({
      quantiles: [{ ...shift!, verdict: 'inconclusive' }],
      serviceQuantiles: [{ ...shift!, shiftPercent: 25, low: 22, high: 27, verdict: 'worse' }],
    });
    const text = toConsole(document, plain).replaceAll(/ +/g, ' ');
    expectInOrder(text, ' p50 3.48 ms', ' service p50 3.48 ms', '+25.0 % +22.0 % +27.0 %');
    for (const written of [toMarkdown(document), toJunit(document), toHtml([document])])
      expect(written).toContain('service p50');
  });

  test('a comparison that decides nothing, or with late runs, shows each pair', () => {
    const sample = comparisonSample();
    const at = (p50: number, changes: Partial<LoadDocument> = {}) => {
      const run = loadSample(2, { verdict: 'held', ...changes });
      const response = { ...run.latencyUs.response, p50 };
      return { ...run, name: 'run.json', latencyUs: { ...run.latencyUs, response } };
    };
    const late = { verdict: 'invalid', invalidBy: 'lateness' } as const;
    const lost = { verdict: 'invalid', invalidBy: 'loss' } as const;
    const a = [at(60_000), at(61_000, late), at(62_000)];
    const b = [at(75_000), at(76_000), at(77_000, lost)];
    const document = { ...sample, paired: true, runs: { a, b } };
    const text = toConsole(document, plain).replaceAll(/ +/g, ' ');
    expectInOrder(
      text,
      'Pair by pair',
      'pair base p50 candidate p50 base p99 candidate p99 state',
      '1 60 ms 75 ms 3.61 ms 3.61 ms valid',
      '2 61 ms 76 ms 3.61 ms 3.61 ms base late',
      '3 62 ms 77 ms 3.61 ms 3.61 ms candidate invalid by loss',
    );
    expect(toMarkdown(document)).toContain('| 2 | 61 ms | 76 ms |');
    expectInOrder(toHtml([document]), 'Pair by pair', 'candidate invalid by loss');
    const sound = { ...document, runs: { a: [at(60_000)], b: [at(75_000)] } };
    expect(toConsole({ ...sound, verdict: 'worse' }, plain)).not.toContain('Pair by pair');
    expect(toConsole({ ...sound, verdict: 'inconclusive' }, plain)).toContain('Pair by pair');
    const [first, ...others] = sample.quantiles;
    const widened = { ...sound, quantiles: [{ ...first!, marginPercent: 12.5 }, ...others] };
    expect(toConsole(widened, plain)).toContain('±12.5 %');
  });

  test('a mix and stages have a table each, in terminal, summary and page', () => {
    const run = stagedSample();
    expectInOrder(
      toConsole(run, plain).replaceAll(/ +/g, ' '),
      'shape requests failed p50 p90 p99 p99.9 max',
      'carpoolSeats 20,000 144 1.',
      'stage planned requests failed p50',
      '1 2,500/s for 8 s 20,000 0 ',
      '2 2,500/s to 10,000/s for 8 s 50,000 0 ',
      '3 10,000/s for 4 s 0 0 – – – – –',
      'p99{carpoolSeats}<30ms',
    );
    expectInOrder(
      toMarkdown(run),
      '| carpoolSeats | 20,000 | 144 |',
      '2,500/s to 10,000/s for 8 s',
    );
    const page = toHtml([run]);
    expectInOrder(page, 'Response time by shape', '>carpoolSeats<', 'Response time by stage');
    expect(toHtml([loadSample(2)])).not.toContain('Parts of the run');
    // It bounds a part: drawn over the whole, it would be compared with what it does not bound.
    expect(page).not.toContain('"value":30000');
  });

  test('several runs have their median and spread, in terminal, summary and page', () => {
    const set = loadSetSample();
    expectInOrder(
      toConsole(set, plain).replaceAll(/ +/g, ' '),
      'Median and spread of 2 valid runs',
      'figure median lowest highest',
      'rate 4,998/s 4,980/s 5,003/s',
      'p99.9 8.10 ms 7.40 ms 9.90 ms',
      'failed 0.040 % 0 % 0.090 %',
    );
    expectInOrder(toMarkdown(set), '| p99 | 3.48 ms | 3.30 ms | 3.91 ms |');
    expectInOrder(toHtml([set]), '>Median and spread of 2 valid runs<', '<td>3.30 ms</td>');
    for (const render of [toMarkdown, (one: typeof set) => toConsole(one, plain)]) {
      expect(render({ ...set, spread: null })).not.toContain('Median');
    }
  });

  test('a load run says how many responses were checked, with a sample of each fault', () => {
    const { achieved } = loadSample(2);
    const run = loadSample(2, {
      achieved: { ...achieved, checked: 98 },
      statuses: { 200: 9859 },
      faultSamples: [{ fault: 'answer-shape', problem: '[0]: wrong', body: '[{"<b>": 1}]' }],
    });
    expectInOrder(
      toConsole(run, plain),
      'checked   98 of 9,859 responses with status 200',
      'answer-shape: [0]: wrong',
      '[{"<b>": 1}]',
    );
    expectInOrder(toMarkdown(run), 'checked: 98 of 9,859', 'fault: answer\\-shape', '"&lt;b&gt;"');
    expectInOrder(toHtml([run]), 'shape: 98 of 9,859', '>answer-shape<', '[{&quot;&lt;b&gt;');
  });

  test('a comparison has the absolute figures and the names of both sides', () => {
    const compared = comparisonSample();
    expectInOrder(
      toConsole(compared, plain).replaceAll(/ +/g, ' '),
      'base staging, https://old.example.test: run-1/run.json and 9 more',
      'candidate staging, https://new.example.test',
      'figure base candidate',
      'rate 4,998/s (4,980/s to 5,003/s) –',
      'quantile base candidate shift from to',
      'p99 3.48 ms 3.74 ms +7.4 %',
    );
    const summary = toMarkdown(compared);
    expectInOrder(summary, '- base: staging', '- candidate: staging', '| p99 | 3.48 ms |');
    expectInOrder(toHtml([compared]), 'https://old.example.test', '3.30 ms to 3.91 ms');
  });

  test('an invalid run is no result', () => {
    const generator = { ...loadSample(2).generator, saturated: true };
    const text = toConsole(loadSample(2, { verdict: 'invalid', generator }), plain);
    expectInOrder(text, 'INVALID', 'saturated: it may be what was measured');
  });

  test('an interrupted run says so', () => {
    expect(toConsole(loadSample(2, { interrupted: true }), plain)).toContain('Interrupted');
  });

  test('only a whole run with a threshold of its own is headed HELD', () => {
    const threshold = { ...loadSample(2).thresholds[1]!, held: true };
    const headed = (changes: Partial<LoadDocument>): string =>
      toConsole(loadSample(2, { verdict: 'held', thresholds: [threshold], ...changes }), plain);
    expect(headed({})).toMatch(/^HELD {2}/m);
    const cut = { interrupted: true, verdict: 'invalid', invalidBy: 'interruption' } as const;
    expect(headed(cut)).toMatch(/^INTERRUPTED {2}/m);
    expect(headed({ thresholds: [{ ...threshold, isDefault: true }] })).toMatch(/^DONE {2}/m);
    expect(headed({ thresholds: [] })).toMatch(/^DONE {2}/m);
    expect(headed({ interrupted: true, verdict: 'fell-short' })).toMatch(/^FELL SHORT {2}/m);
  });

  test.each(Object.entries(ALL_SAMPLES))(
    '%s has colours only where they are asked for',
    (_, it) => {
      expect(toConsole(it, { color: true })).toContain('\u001b[');
      expect(toConsole(it, plain)).not.toContain('\u001b');
    },
  );

  test('a bench names what shares are of, and gives none to what is not part of it', () => {
    const text = toConsole(benchSample(), plain);
    expect(text).toContain('Shares are of "whole request", 3.20 µs');
    expect(text).toMatch(/read the head +820 ns +25\.6 %/);
    expect(text).toMatch(/whole request +3\.20 µs +–/);
    expect(text).not.toContain(' 0 %');
  });
});

describe('as a Markdown summary', () => {
  test('a conformance run has the verdict, the failures with curl, and the rest folded', () => {
    expectInOrder(
      toMarkdown(serviceSample()),
      '## ❌ Conformance of staging: Not conformant, 98 of 102 rules judged, 1 waived',
      `- rules: ${RULE_VERDICTS.map((verdict) => `${serviceSample().summary[verdict]} ${verdict}`).join(', ')}`,
      '### ❌ `signature/zero-kept`',
      '```sh\ncurl -sS',
      '### ⚠️ `record/echoes-request`',
      '<details><summary>Waived (1)</summary>',
      '<details><summary>Untestable (1)</summary>',
    );
  });

  test('a search has its objective and trials', () => {
    expectInOrder(
      toMarkdown(findMaxSample()),
      '7,750–7,980/s',
      'p99&lt;20ms,errors&lt;0.1%',
      '| rate |',
    );
  });

  test('several documents follow each other', () => {
    expectInOrder(
      toMarkdown(loadSample(2), comparisonSample()),
      'Load on staging',
      'Comparison of two builds: Worse',
      'Slower beyond the margin: p99',
    );
  });
});

describe('as annotations of GitHub', () => {
  test('failures are errors, other findings are warnings', () => {
    const lines = toGithubAnnotations(serviceSample()).trimEnd().split('\n');
    expect(lines.map((line) => line.split('::')[1])).toEqual([
      'error title=signature/zero-kept',
      'error title=token/scope-echo',
      'warning title=record/echoes-request',
      'warning title=lifecycle/refresh-single-use-concurrent',
      'warning title=waiver of record/pay-type',
    ]);
    expect(lines[0]).toContain('%0Ait was refused');
  });

  test('a missed threshold is an error, and so is an invalid run', () => {
    expect(toGithubAnnotations(loadSample(2))).toMatch(/^::error title=threshold errors<0.01%25::/);
    expect(toGithubAnnotations(loadSample(2, { verdict: 'invalid' }))).toMatch(
      /^::error title=Load/,
    );
  });

  test('a passed run has no annotations', () => {
    expect(toGithubAnnotations(loadSample(2, { thresholds: [], verdict: 'held' }))).toBe('');
    expect(toGithubAnnotations(comparisonSample({ verdict: 'equivalent' }))).toBe('');
  });
});

test('as JSON, a document is unchanged, and several are a list', () => {
  expect(JSON.parse(toJson(loadSample(2)))).toEqual(loadSample(2));
  expect(JSON.parse(toJson(loadSample(2), loadSample(3)))).toHaveLength(2);
  const service = serviceSample();
  expect(JSON.parse(toJson(service, clientSample()))).toEqual([service, clientSample()]);
  const bare = { ...service, exchanges: [] };
  expect(JSON.parse(toJson(bare))).toEqual(bare);
});

test('as JSON, each exchange is one line, behind everything else', () => {
  const { exchanges } = serviceSample();
  const lines = toJson(serviceSample()).split('\n');
  const start = lines.indexOf('  "exchanges": [');
  expect(lines.slice(start + 1).map((line) => line.replace(/,$/, ''))).toEqual([
    ...exchanges.map((one) => `    ${JSON.stringify(one)}`),
    '  ]',
    '}',
    '',
  ]);
  expect(exchanges.length).toBeGreaterThan(1);
});
