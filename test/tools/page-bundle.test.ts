import { expect, test } from 'vitest';
import {
  CHART_STYLE,
  PAGE_SCRIPT,
  PAGE_STYLE,
  PLAIN_SCRIPT,
} from '../../src/report/page-assets.ts';
import { bundlePage } from '../../tools/build-page.mjs';

test('the script and the style of a report are those of the sources (else: npm run build)', async () => {
  const text = await bundlePage();
  for (const part of [PAGE_SCRIPT, PLAIN_SCRIPT, PAGE_STYLE, CHART_STYLE]) {
    expect(text).toContain(JSON.stringify(part));
  }
});

test('the bundled library keeps its license notice', () => {
  for (const part of [PAGE_SCRIPT, CHART_STYLE]) {
    expect(part).toMatch(/^\/\*! uPlot [\d.]+, MIT\. Copyright \(c\) \d+ Leon Sorokin/);
  }
  expect(PLAIN_SCRIPT).not.toContain('uPlot');
});
