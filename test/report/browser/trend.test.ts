// @module-tag long
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trendToHtml } from '../../../src/report/index.ts';
import { temporaryFolderOfFile } from '../../support/temporary-folder.ts';
import { loadTrend, ruleTrend } from '../samples/trend-sample.ts';
import { CHROMIUM, ReportBrowser, type View } from './open-page.ts';
import { violationsOn } from './violations.ts';

const folder = temporaryFolderOfFile();
let browser: ReportBrowser;

/** Opens a page of that many loads and checks, does, and holds that nothing was complained of. */
async function onTrend(
  count: number,
  view: View,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const file = join(folder, `${count}.html`);
  writeFileSync(file, trendToHtml([loadTrend(count), ruleTrend(count)]));
  const { page, complaints } = await browser.visit(pathToFileURL(file).href, view);
  try {
    await expect.poll(() => page.locator('.plot canvas').count()).toBe(count > 1 ? 6 : 0);
    await act(page);
    expect(complaints).toEqual([]);
  } finally {
    await page.close();
  }
}

describe.runIf(CHROMIUM !== null)('a trend in a browser', { timeout: 600_000 }, () => {
  beforeAll(async () => {
    browser = await ReportBrowser.start(CHROMIUM ?? '', folder);
  });
  afterAll(() => browser?.close());

  test.each([
    { count: 1, width: 360, scheme: 'dark' },
    { count: 12, width: 1600, scheme: 'light' },
    { count: 500, width: 360, scheme: 'light' },
    { count: 500, width: 1600, scheme: 'dark' },
  ] as const)(
    '$count runs have no violation at $width pixels in $scheme',
    async ({ count, ...view }) => {
      await onTrend(count, view, async (page) => {
        expect(await violationsOn(page)).toEqual([]);
        const widest = () => page.evaluate(() => document.documentElement.scrollWidth);
        await expect.poll(widest).toBe(view.width);
      });
    },
  );

  test('the newest run of a long matrix is in view, and the rule beside it', async () => {
    await onTrend(500, { width: 360 }, async (page) => {
      const ends = await page.evaluate(() => {
        const box = (selector: string) => document.querySelector(selector)!.getBoundingClientRect();
        return {
          newest: box('.matrix thead th:last-child').right,
          rule: box('.matrix tbody th').left,
          width: innerWidth,
        };
      });
      expect(ends.newest).toBeLessThanOrEqual(ends.width);
      expect(ends.rule).toBeGreaterThanOrEqual(0);
    });
  });

  test('the values of charts are read by keyboard', async () => {
    await onTrend(12, {}, async (page) => {
      await page.locator('details[data-chart="trend-1-p99"] summary').focus();
      await page.keyboard.press('Enter');
      const row = page.locator('details[data-chart="trend-1-p99"] tr', { hasText: '1.10' });
      await expect.poll(() => row.textContent()).toMatch(/^1\.103\.51 ms3\.\d+ ms3\.\d+ ms$/);
    });
  });
});
