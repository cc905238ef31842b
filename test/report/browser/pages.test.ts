// @module-tag long
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunDocument } from '../../../src/documents/run-document.ts';
import { toHtml, toJunit } from '../../../src/report/index.ts';
import { temporaryFolderOfFile } from '../../support/temporary-folder.ts';
import { ALL_SAMPLES } from '../samples/all-samples.ts';
import { clientSample, serviceSample } from '../samples/conformance-sample.ts';
import { HOSTILE_TEXTS, withText } from '../samples/hostile-text.ts';
import { loadSample } from '../samples/load-sample.ts';
import { SMALL_SAMPLES } from '../samples/small-samples.ts';
import { CHROMIUM, HOW_TO_GET_CHROMIUM, ReportBrowser, textOf, type View } from './open-page.ts';
import { violationsOn } from './violations.ts';

/** `.ci/run` sets it: there the tests below must run. */
const required = process.env['FAREPROOF_REQUIRE_BROWSER'] === '1';

if (CHROMIUM === null) console.warn(`\n!!! ${HOW_TO_GET_CHROMIUM}\n`);

test('Chromium is installed if required', () => {
  const missing = required && CHROMIUM === null ? HOW_TO_GET_CHROMIUM : null;
  expect(missing).toBeNull();
});

const folder = temporaryFolderOfFile();
let browser: ReportBrowser;

/** Opens, does, and holds that nothing was complained of. */
async function onPage(
  documents: readonly RunDocument[],
  view: View,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const { page, complaints } = await browser.open(documents, view);
  try {
    await act(page);
    expect(complaints).toEqual([]);
  } finally {
    await page.close();
  }
}

const shownRules = (page: Page): Promise<number> => page.locator('li.rule:visible').count();

describe.runIf(CHROMIUM !== null)('in a browser', { timeout: 600_000 }, () => {
  beforeAll(async () => {
    browser = await ReportBrowser.start(CHROMIUM ?? '', folder);
  });
  afterAll(() => browser?.close());

  test.each([
    { width: 1280, scheme: 'light' },
    { width: 390, scheme: 'dark' },
  ] as const)(
    'a page of every kind of run has no violation at $width pixels in $scheme',
    async (view) => {
      await onPage(Object.values(ALL_SAMPLES), view, async (page) => {
        expect(await violationsOn(page)).toEqual([]);
      });
    },
  );

  test('runs of one target on one page, and a certificate, have no violation', async () => {
    const twice = [serviceSample(), serviceSample(), loadSample(20), loadSample(20)];
    await onPage(twice, { width: 390 }, async (page) => {
      expect(await violationsOn(page)).toEqual([]);
    });
    const facts = [['key of the issuer', '0123456789abcdef'.repeat(4)]] as const;
    const file = join(folder, 'certificate.html');
    writeFileSync(
      file,
      toHtml([clientSample()], { facts, verify: 'fareproof certify --verify c' }),
    );
    const { page, complaints } = await browser.visit(pathToFileURL(file).href, { width: 390 });
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test.each([1280, 390])('no page is wider than a screen of %i pixels', async (width) => {
    for (const sample of Object.values(ALL_SAMPLES)) {
      await onPage([sample], { width }, async (page) => {
        const widest = () => page.evaluate(() => document.documentElement.scrollWidth);
        await expect.poll(widest, { message: sample.kind }).toBe(width);
      });
    }
  });

  test('a narrow screen has each verdict in view, and no row with a long blank', async () => {
    const long = 'Status 401 for a wrong signature, and 400 for a field that is missing. '.repeat(
      12,
    );
    const whole = serviceSample();
    const gaps = whole.gaps.map((gap, at) =>
      at === 0 ? { ...gap, observed: { words: long } } : gap,
    );
    await onPage(
      [{ ...whole, gaps }, clientSample(), loadSample(60)],
      { width: 390 },
      async (page) => {
        const outside = await page.evaluate(() =>
          Array.from(document.querySelectorAll('.badge'), (badge) => {
            const { left, right, width } = badge.getBoundingClientRect();
            return width > 0 && (left < 0 || right > innerWidth) ? badge.textContent : '';
          }).filter((words) => words !== ''),
        );
        expect(outside).toEqual([]);
        const heights = await page.evaluate(() =>
          Array.from(
            document.querySelectorAll('tbody tr'),
            (row) => row.getBoundingClientRect().height,
          ),
        );
        expect(Math.max(...heights)).toBeLessThan(600);
      },
    );
  });

  test('long text without spaces does not make a page wider than a narrow screen', async () => {
    const digest = '0123456789abcdef'.repeat(16);
    const documents = SMALL_SAMPLES.map((sample) => withText(sample, digest));
    const certificate = { ...clientSample(), notes: [`Document, SHA-256: ${digest}.`] };
    for (const run of [certificate, ...documents]) {
      await onPage([run], { width: 390 }, async (page) => {
        for (const summary of await page.locator('summary').all()) {
          await summary.evaluate(({ parentElement }) => parentElement?.setAttribute('open', ''));
        }
        const widest = () => page.evaluate(() => document.documentElement.scrollWidth);
        await expect.poll(widest, { message: run.kind }).toBe(390);
      });
    }
  });

  test.each(['light', 'dark'] as const)(
    'with everything opened in %s there is no violation',
    async (scheme) => {
      const [conformance, ...others] = SMALL_SAMPLES;
      await onPage([conformance!, ...others], { scheme }, async (page) => {
        await page.evaluate(() => {
          for (const details of document.querySelectorAll('details')) details.open = true;
        });
        expect(await violationsOn(page)).toEqual([]);
      });
    },
  );

  test('rules are filtered by verdict and by words', async () => {
    const { rules, summary } = serviceSample();
    await onPage([serviceSample()], {}, async (page) => {
      expect(summary.excluded).toBeGreaterThan(0);
      await expect.poll(() => shownRules(page)).toBe(rules.length - summary.excluded);
      await page.getByRole('checkbox', { name: /^excluded/ }).check();
      await expect.poll(() => shownRules(page)).toBe(rules.length);
      await page.getByRole('checkbox', { name: /^pass/ }).uncheck();
      await expect.poll(() => shownRules(page)).toBe(rules.length - summary.pass);
      await page.getByRole('searchbox').fill('QUOTA ban');
      await expect.poll(() => shownRules(page)).toBe(2);
      const status = page.getByRole('status').first();
      await expect.poll(() => status.textContent()).toBe('2 of 103 rules shown');
      await expect.poll(() => page.locator('.area:visible').count()).toBe(1);
      await page.getByRole('searchbox').fill('no such words');
      await expect.poll(() => shownRules(page)).toBe(0);
    });
  });

  test('a rule opens by keyboard and shows its evidence and curl', async () => {
    await onPage([serviceSample()], {}, async (page) => {
      const summary = page.locator('li.rule summary').first();
      await summary.focus();
      await page.keyboard.press('Enter');
      const evidence = page.locator('li.rule').first().locator('article').first();
      await expect.poll(() => evidence.isVisible()).toBe(true);
      await page.keyboard.press('Space');
      await expect.poll(() => evidence.isVisible()).toBe(false);
    });
  });

  test('a link opens a rule that is closed or filtered out', async () => {
    await onPage([serviceSample()], {}, async (page) => {
      await page.getByRole('searchbox').fill('no such words');
      await page.getByRole('link', { name: 'record/echoes-request' }).first().click();
      const rule = page.locator('li.rule', { hasText: 'record/echoes-request' }).first();
      await expect.poll(() => rule.locator('.rule-body').isVisible()).toBe(true);
    });
  });

  test('a filter stands in the address, finds bodies and ids, and says how to clear it', async () => {
    await onPage([serviceSample()], {}, async (page) => {
      const search = page.getByRole('searchbox');
      await page.keyboard.press('/');
      expect(await search.evaluate((box) => box === document.activeElement)).toBe(true);
      await page.keyboard.type('no-such-rule');
      await expect.poll(textOf(page, '.shown')).toBe('No rule matches.');
      expect(new URL(page.url()).hash).toContain('q=no-such-rule');
      await page.getByRole('button', { name: 'Clear the filter' }).click();
      await expect.poll(() => shownRules(page)).toBeGreaterThan(90);
      await search.fill('x2');
      await expect.poll(textOf(page, '.shown')).toMatch(/^[1-9]\d* of \d+ rules shown$/);
      const { hash } = new URL(page.url());
      await page.goto('about:blank');
      await page.goBack();
      await expect.poll(() => search.inputValue()).toBe('x2');
      expect(new URL(page.url()).hash).toBe(hash);
    });
  });

  test('all shown rules open and close at once', async () => {
    await onPage([clientSample()], {}, async (page) => {
      const all = await shownRules(page);
      await page.getByRole('searchbox').fill('client/token');
      await expect.poll(() => shownRules(page)).toBeLessThan(all);
      const shown = await shownRules(page);
      await page.getByRole('button', { name: 'Open all shown' }).click();
      const open = page.locator('li.rule details[open]');
      const openAndShown = page.locator('li.rule:visible details[open]');
      await expect.poll(() => openAndShown.count()).toBe(shown);
      await page.getByRole('button', { name: 'Close all' }).click();
      await expect.poll(() => open.count()).toBe(0);
    });
  });

  test('the theme switches, is kept on the next visit, and applies to charts', async () => {
    await onPage([loadSample(20)], { scheme: 'dark' }, async (page) => {
      const ground = (): Promise<string> =>
        page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const chart = (): Promise<string> =>
        page
          .locator('#run-1-time-rate canvas')
          .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
      const [darkGround, darkChart] = [await ground(), await chart()];
      await page.getByRole('button', { name: 'Use light colours' }).click();
      await expect.poll(ground).not.toBe(darkGround);
      await expect.poll(chart).not.toBe(darkChart);
      const [lightGround, lightChart] = [await ground(), await chart()];
      await page.reload();
      await expect.poll(ground).toBe(lightGround);
      await expect.poll(chart).toBe(lightChart);
      await page.getByRole('button', { name: 'Use dark colours' }).waitFor();
      await page.evaluate(() => localStorage.clear());
    });
  });

  test('every chart of a load run is drawn, and one readout has the values of all over time', async () => {
    await onPage([loadSample(60)], {}, async (page) => {
      const plots = page.locator('.plot');
      await expect.poll(() => plots.count()).toBe(6);
      await expect.poll(() => page.locator('.plot canvas').count()).toBe(6);
      const readout = page.locator('.readout');
      expect(await readout.count()).toBe(0);
      await page.hover('#run-1-time-latency .u-over', { position: { x: 200, y: 60 } });
      await expect.poll(() => readout.count()).toBe(1);
      const labels = readout.locator('dt');
      const names = 'planned achieved p50 p99 max failed'.split(' ');
      await expect.poll(async () => (await labels.allTextContents()).slice(0, 6)).toEqual(names);
      await expect.poll(textOf(page, '.readout b')).toMatch(/^\d+ s$/);
      await expect.poll(textOf(page, '.readout dd')).toBe('5,000/s');
      await page.hover('#run-1-percentiles .u-over', { position: { x: 100, y: 60 } });
      await expect.poll(() => labels.allTextContents()).toEqual(['response', 'service']);
      expect(await page.locator('#run-1-percentiles .readout').count()).toBe(1);
      await page.mouse.move(5, 5);
      await expect.poll(() => readout.isVisible()).toBe(false);
    });
  });

  test('charts over time begin at the same place', async () => {
    await onPage([loadSample(60)], {}, async (page) => {
      const starts = (): Promise<number[]> =>
        page
          .locator('[id^=run-1-time] .u-over')
          .evaluateAll((overs) => overs.map((over) => over.getBoundingClientRect().left));
      await expect.poll(async () => new Set(await starts()).size).toBe(1);
      expect(await starts()).toHaveLength(5);
    });
  });

  test('each chart has its values as a table, made when it is expanded', async () => {
    await onPage([loadSample(60)], {}, async (page) => {
      const openers = page.getByText('Data table:');
      await expect.poll(() => openers.count()).toBe(6);
      await expect.poll(() => page.locator('.figures table').count()).toBe(0);
      await page.getByText('Data table: Response time').click();
      const table = page.getByRole('table', { name: 'Response time' });
      await expect.poll(() => table.locator('tbody tr').count()).toBe(60);
      await expect
        .poll(() => table.locator('thead th').allTextContents())
        .toEqual(['At', 'p50', 'p99', 'Max']);
      for (const opener of await openers.all()) {
        if (!(await opener.evaluate(({ parentElement }) => parentElement?.hasAttribute('open'))))
          await opener.click();
      }
      await expect.poll(() => page.locator('.figures table').count()).toBe(6);
      expect(await violationsOn(page)).toEqual([]);
    });
  });

  test('hostile text stays text: nothing runs, no element is created', async () => {
    const texts = [0, 1, 2].map((part) =>
      HOSTILE_TEXTS.filter((_, at) => at % 3 === part).join(' '),
    );
    const documents = SMALL_SAMPLES.flatMap((sample) =>
      texts.map((text) => withText(sample, text)),
    );
    await onPage(documents, {}, async (page) => {
      const built = await page.evaluate(() => ({
        hit: 'hit' in globalThis,
        scripts: document.scripts.length,
        strange: document.querySelectorAll('img, iframe, object, base, a[href^="javascript"]')
          .length,
        handlers: [...document.querySelectorAll('*')].filter((element) =>
          element.getAttributeNames().some((name) => name.startsWith('on')),
        ).length,
      }));
      expect(built).toEqual({ hit: false, scripts: 2, strange: 0, handlers: 0 });
    });
  });

  test('JUnit with hostile text is valid XML for another parser', async () => {
    const documents = SMALL_SAMPLES.flatMap((sample) =>
      HOSTILE_TEXTS.map((text) => toJunit(withText(sample, text))),
    );
    await onPage([SMALL_SAMPLES[4]!], {}, async (page) => {
      const failures = await page.evaluate((texts) => {
        const parser = new DOMParser();
        return texts.filter((text) =>
          parser.parseFromString(text, 'application/xml').querySelector('parsererror'),
        ).length;
      }, documents);
      expect(failures).toBe(0);
    });
  });
});
