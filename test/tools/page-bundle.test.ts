import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  CHART_STYLE,
  LIVE_SCRIPT,
  PAGE_SCRIPT,
  PLAIN_SCRIPT,
} from '../../src/report/page-assets.ts';
import { bundlePage } from '../../tools/build-page.mjs';

test('the scripts and styles of the pages are those of the sources (else: npm run build)', async () => {
  const written = new URL('../../src/report/page-assets.ts', import.meta.url);
  expect(readFileSync(written, 'utf8')).toBe(await bundlePage());
});

test('the bundled library keeps its license notice', () => {
  for (const part of [PAGE_SCRIPT, LIVE_SCRIPT, CHART_STYLE]) {
    expect(part).toMatch(/^\/\*! uPlot [\d.]+, MIT\. Copyright \(c\) \d+ Leon Sorokin/);
  }
  expect(PLAIN_SCRIPT).not.toContain('uPlot');
});
