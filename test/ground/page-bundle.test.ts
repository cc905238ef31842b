import { expect, test } from 'vitest';
import { PAGE_SCRIPT, PAGE_STYLE } from '../../src/report/page-assets.ts';
import { bundlePage } from '../../tools/build-page.mjs';

test('the script and the style of a report are those of the sources (else: npm run build)', async () => {
  const text = await bundlePage();
  expect(text).toContain(JSON.stringify(PAGE_SCRIPT));
  expect(text).toContain(JSON.stringify(PAGE_STYLE));
});

test('the library that a report carries keeps its notice', () => {
  expect(PAGE_SCRIPT).toMatch(/^\/\*! uPlot [\d.]+, MIT\. Copyright \(c\) \d+ Leon Sorokin/);
});
