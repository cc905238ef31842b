import { expect, test } from 'vitest';
import { toConsole, toHtml, toJunit, toMarkdown } from '../../src/report/index.ts';
import { findMaxSample, loadSample } from './samples/load-sample.ts';

const generator = { ...loadSample(2).generator, coreWait: 0.341 };
const exit = { code: 3, reason: 'the run is invalid' };
const starved = loadSample(2, { verdict: 'invalid', generator, exit });

const RENDERINGS = {
  terminal: toConsole(starved, { color: false }),
  Markdown: toMarkdown(starved),
  JUnit: toJunit(starved),
  HTML: toHtml([starved]),
};

test.each(Object.entries(RENDERINGS))(
  'the %s shows the core wait of the generator, and the exit code with its reason',
  (_, text) => {
    expect(text.replace(/<[^>]*>/g, ' ').replaceAll('\\', '')).toMatch(
      /waited for a core\s+34\.1/i,
    );
    expect(text.replaceAll('\\', '')).toContain('Exit 3: the run is invalid');
  },
);

test('a search shows the core wait of each trial', () => {
  const [trial] = findMaxSample().trials;
  const search = { ...findMaxSample(), trials: [{ ...trial!, coreWait: 0.341 }] };
  for (const text of [toConsole(search, { color: false }), toMarkdown(search), toHtml([search])]) {
    expect(text).toMatch(/core wait/i);
    expect(text).toContain('34.1');
  }
});

test('a run without a figure of core wait shows none', () => {
  const text = toConsole(loadSample(2, { generator: { ...generator, coreWait: null } }), {
    color: false,
  });
  expect(text).not.toContain('waited for a core');
});

test('an interrupted run fails in JUnit, though every threshold held', () => {
  const thresholds = loadSample(2).thresholds.map((one) => ({ ...one, held: true }));
  const interrupted = { interrupted: true, exit: { code: 130, reason: 'interrupted' } };
  const invalid = { verdict: 'invalid', invalidBy: 'interruption' } as const;
  const reason = 'The run was interrupted; until then it missed no threshold.';
  const text = toJunit(loadSample(2, { thresholds, reason, ...invalid, ...interrupted }));
  expect(text).toMatch(
    /<testcase name="verdict" classname="load"[^>]*>\s*<error message="The run was interrupted/,
  );
});

test('a run that fell short fails in JUnit, though no threshold of it is judged', () => {
  const thresholds = loadSample(2).thresholds.map((one) => ({ ...one, judged: false as const }));
  const reason = 'The run was ended early, since errors>5% came true.';
  const text = toJunit(loadSample(2, { verdict: 'fell-short', thresholds, reason }));
  expect(text).toMatch(
    /<testcase name="verdict"[^>]*>\s*<failure message="The run was ended early/,
  );
});
