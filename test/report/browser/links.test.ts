// @module-tag long
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConformanceDocument } from '../../../src/documents/conformance.ts';
import { SEED } from '../../support/property.ts';
import { temporaryFolderOfFile } from '../../support/temporary-folder.ts';
import { serviceSample } from '../samples/conformance-sample.ts';
import { loadSample } from '../samples/load-sample.ts';
import { CHROMIUM, ReportBrowser, type View } from './open-page.ts';

const folder = temporaryFolderOfFile();
let browser: ReportBrowser;

const VIEWS = [1280, 390].flatMap((width) =>
  (['reduce', 'no-preference'] as const).map((motion): View => ({ width, motion })),
);

/** A run with a finding for each rule; half of them are open. */
function findingsSample(): ConformanceDocument {
  const whole = serviceSample();
  const rules = whole.rules.map((rule, at) => ({
    ...rule,
    verdict: at % 2 === 0 ? ('fail' as const) : ('warn' as const),
  }));
  return { ...whole, rules };
}

const RULE_IDS = findingsSample().rules.map(({ id }) => id);

/** Opens a page of the view, and closes it. */
async function onPage(
  documents: Parameters<ReportBrowser['open']>[0],
  view: View,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const { page } = await browser.open(documents, view);
  try {
    await act(page);
  } finally {
    await page.close();
  }
}

/**
 * Distance from the header to the head of a rule two frames later, in pixels. A rule near the end of the
 * page, which cannot be scrolled higher, is as good as at the top. Text if it is not open.
 */
function landing(page: Page, id: string): Promise<number | string> {
  return page.evaluate(async (ruleId) => {
    const frame = (): Promise<number> => new Promise((next) => requestAnimationFrame(next));
    await frame();
    await frame();
    const rule = document.getElementById(ruleId);
    if (!rule?.querySelector('.rule-body')?.checkVisibility()) return 'not open';
    const { top, height } = rule.getBoundingClientRect();
    const below =
      top - Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
    const left = document.documentElement.scrollHeight - innerHeight - scrollY;
    const isAtEnd = left < 1 && below > 0 && top + Math.min(height, 100) < innerHeight;
    return isAtEnd || Math.abs(below) < 2 ? 0 : Math.round(below);
  }, id);
}

async function landings(
  page: Page,
  ids: readonly string[],
  go: (id: string) => Promise<unknown>,
): Promise<Record<string, number | string>> {
  const beside: Record<string, number | string> = {};
  for (const id of ids) {
    await go(id);
    const distance = await landing(page, id);
    if (distance !== 0) beside[id] = distance;
  }
  return beside;
}

/** Loads the page at an id; an address that differs in its fragment alone would load nothing. */
async function load(page: Page, id: string): Promise<void> {
  const address = new URL(page.url());
  address.search = id;
  address.hash = id;
  await page.goto(address.href);
}

const click = (page: Page, id: string): Promise<void> =>
  page
    .locator(`.finding a[href="#${id}"]`)
    .first()
    .evaluate((link: HTMLAnchorElement) => link.click());

describe.runIf(CHROMIUM !== null)('a link to a rule', { timeout: 600_000 }, () => {
  beforeAll(async () => {
    browser = await ReportBrowser.start(CHROMIUM ?? '', folder);
  });
  afterAll(() => browser?.close());

  /** Each rule is tried in one of the views. */
  const idsFor = (view: View): string[] =>
    RULE_IDS.filter((_, at) => VIEWS[(at + SEED) % VIEWS.length] === view);

  test.each(VIEWS)('leads to it by a click, at %o', async (view) => {
    await onPage([findingsSample()], view, async (page) => {
      expect(await landings(page, idsFor(view), (id) => click(page, id))).toEqual({});
    });
  });

  // A page is loaded for each rule, which takes half a second.
  test.each(VIEWS)('leads to it by its address, at %o', async (view) => {
    const ids = idsFor(view).filter((_, at) => at % 4 === 0);
    await onPage([findingsSample()], view, async (page) => {
      expect(await landings(page, ids, (id) => load(page, id))).toEqual({});
    });
  });

  test('leads to it on a page with charts above it', async () => {
    const ids = RULE_IDS.filter((_, at) => at % 20 === 0);
    await onPage([loadSample(20), findingsSample()], { motion: 'no-preference' }, async (page) => {
      expect(await landings(page, ids, (id) => load(page, id))).toEqual({});
      expect(await landings(page, ids, (id) => click(page, id))).toEqual({});
    });
  });

  test('leads to it a second time, when it was filtered out meanwhile', async () => {
    const [id = ''] = RULE_IDS;
    await onPage([findingsSample()], {}, async (page) => {
      await click(page, id);
      await page.getByRole('searchbox').fill('no such words');
      expect(await landing(page, id)).toBe('not open');
      await click(page, id);
      expect(await landing(page, id)).toBe(0);
    });
  });
});
