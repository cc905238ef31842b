// @module-tag long
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { LivePage, type LiveRequest, type LiveSubject } from '../../../src/report/index.ts';
import type { LiveProgress } from '../../../src/report/live/events.ts';
import { temporaryFolderOfFile } from '../../support/temporary-folder.ts';
import { HOSTILE_TEXTS } from '../samples/hostile-text.ts';
import { loadSample } from '../samples/load-sample.ts';
import { CHROMIUM, HOW_TO_GET_CHROMIUM, ReportBrowser, textOf, type View } from './open-page.ts';
import { violationsOn } from './violations.ts';

if (CHROMIUM === null) console.warn(`\n!!! ${HOW_TO_GET_CHROMIUM}\n`);

const TOKEN = 'Zm9yLXRlc3RzLW9ubHktMTI4-_';
const SUBJECTS: Readonly<Record<LiveSubject['kind'], LiveSubject>> = {
  load: {
    kind: 'load',
    title: 'Load on staging',
    state: 'Waiting',
    facts: [['Target', 'http://127.0.0.1:8080']],
    thresholds: [
      { expression: 'p99<20ms', metric: 'p99', unit: 'us', comparison: '<', bound: 20_000 },
    ],
  },
  certify: { kind: 'certify', title: 'Listening to a client', state: 'Listening', facts: [] },
  serve: { kind: 'serve', title: 'The reference server', state: 'Serving', facts: [] },
};

const folder = temporaryFolderOfFile();
let browser: ReportBrowser;
let live: LivePage | undefined;

/** Opens a live page, does, and holds that nothing was complained of. */
async function onLivePage(
  kind: LiveSubject['kind'],
  view: View,
  act: (page: Page, live: LivePage) => Promise<void>,
): Promise<void> {
  live = await LivePage.open(SUBJECTS[kind], TOKEN);
  const { page, complaints } = await browser.visit(live.url, view, [`${live.url}events`]);
  try {
    await act(page, live);
    expect(complaints).toEqual([]);
  } finally {
    await page.close();
  }
}

/** Agents of a run, of which the second was lost. */
const AGENTS: LiveProgress['agents'] = [
  {
    name: 'east',
    workers: 2,
    cores: 4,
    sent: 1200,
    cpu: 1.5,
    coreWait: 0.012,
    sendLagP99Us: 34,
    clockErrorUs: 21,
    missingUpdates: 0,
  },
  {
    name: 'west',
    workers: 2,
    cores: 4,
    sent: 800,
    cpu: null,
    coreWait: null,
    sendLagP99Us: null,
    clockErrorUs: 48,
    missingUpdates: 0,
    lost: { atS: 2.25 },
  },
];

/** Tells of so many seconds of a run, as `load` does. */
function runFor(seconds: number, from = 0, agents?: LiveProgress['agents']): void {
  const totalS = 60;
  for (let t = from; t < from + seconds; t++) {
    const generator = {
      cpu: 0.9,
      eventLoopUtilization: 0.1 + t / 100,
      sendLagP99Us: 20 + t,
      coreWait: 0.042,
    };
    const point = { t, rate: 1000 + t, p50: 400, p99: 4000, max: 9000, failed: t % 3, generator };
    live?.publish({ kind: 'point', point: { ...point, plannedRate: 1000 } });
    live?.publish({
      kind: 'progress',
      phase: 'measuring',
      elapsedS: t + 1,
      totalS,
      plannedRate: 1000,
      rate: 1000 + t,
      p50Us: 400,
      p99Us: 4000,
      maxUs: 9000,
      ok: 1000 * (t + 1),
      failed: t,
      agents,
    });
  }
}

const REQUEST: LiveRequest = {
  kind: 'request',
  id: 'x1',
  at: '2026-03-01T10:00:00.123Z',
  scenario: 'steady-user',
  method: 'POST',
  path: '/v1/oauth/token',
  status: 200,
  durationUs: null,
  refusal: null,
  broken: [],
};
const WRONG: LiveRequest = {
  ...REQUEST,
  id: 'x2',
  status: 401,
  broken: [
    {
      rule: 'client/signature',
      level: 'must',
      expected: 'the signature of the pairs',
      got: 'empty values are left in',
    },
  ],
};

/** Tells of requests, as `certify` and `serve` do. */
function ask(count: number, request: LiveRequest = REQUEST): void {
  for (let at = 0; at < count; at++) live?.publish(request);
}

const widest = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth);

/** Pixels of the chart of the rate. */
const lookOf = (page: Page): Promise<string> =>
  page.locator('#live-rate canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());

/** Value of a key figure. */
const figure = (page: Page, name: string): (() => Promise<string | null>) =>
  textOf(page, `.tile:has(dt:text-is("${name}")) b`);

/** Waits for what `runFor` tells last: a view is whole. */
async function shows(page: Page, seconds: number): Promise<void> {
  await expect.poll(figure(page, 'Responses')).toBe((1000 * seconds).toLocaleString('en'));
}

describe.runIf(CHROMIUM !== null)('a live page in a browser', { timeout: 600_000 }, () => {
  beforeAll(async () => {
    browser = await ReportBrowser.start(CHROMIUM ?? '', folder);
  });
  afterEach(async () => {
    await live?.close();
    live = undefined;
  });
  afterAll(() => browser?.close());

  test('the plots and figures of a load run update', async () => {
    await onLivePage('load', {}, async (page) => {
      await expect.poll(textOf(page, '#live-words')).toBe('Waiting');
      runFor(3);
      await shows(page, 3);
      await expect.poll(() => page.locator('.plot canvas').count()).toBe(5);
      await expect.poll(textOf(page, '#live-words')).toBe('Measuring');
      await expect.poll(textOf(page, '#live-sentence')).toBe('3 of 60 s, 57 s left');
      const before = await lookOf(page);
      const sameCanvas = await page.locator('#live-rate canvas').elementHandle();
      runFor(5, 3);
      await shows(page, 8);
      await expect.poll(() => lookOf(page)).not.toBe(before);
      // Moved on, and not built anew: a pointer over it stays where it is.
      expect(await sameCanvas?.evaluate((canvas) => canvas.isConnected)).toBe(true);
      const figures = page.locator('.tile b');
      await expect
        .poll(() => figures.allTextContents())
        .toEqual([
          '1,007/s',
          '400 µs',
          '4 ms',
          '9 ms',
          '0.087 %',
          '8,000',
          '17 %',
          '27 µs',
          '4.20 %',
        ]);
      await expect.poll(() => page.getByRole('progressbar').getAttribute('value')).toBe('8');
    });
  });

  test('agents are listed with their health and loss, and only where there are some', async () => {
    await onLivePage('load', {}, async (page) => {
      runFor(1);
      await shows(page, 1);
      expect(await page.getByRole('heading', { name: 'Agents' }).count()).toBe(0);
      runFor(1, 1, AGENTS);
      await shows(page, 2);
      const cells = page.getByRole('group', { name: 'Agents' }).locator('tbody tr');
      await expect
        .poll(() =>
          cells.evaluateAll((rows) =>
            rows.map((row) => [...row.children].map((cell) => cell.textContent)),
          ),
        )
        .toEqual([
          ['east', '✓ whole', '2', '4', '1,200', '1.50', '1.20 %', '34 µs', '21 µs'],
          ['west', '✕ lost at 2.3 s', '2', '4', '800', '–', '–', '–', '48 µs'],
        ]);
    });
  });

  test('a page opened late or again shows the run from its start', async () => {
    await onLivePage('load', {}, async (page) => {
      runFor(30);
      await shows(page, 30);
      await page.reload();
      await shows(page, 30);
      await page.getByText('Data table: Rate').click();
      const rows = page.locator('[data-chart=live-rate] tbody tr');
      // The table is filled when the browser has said that it is open, a task later than the click.
      await expect.poll(() => rows.count()).toBe(30);
      await expect.poll(() => rows.first().textContent()).toMatch(/^0 s1,000\/s/);
      // It follows the run, and stays expanded.
      runFor(1, 30);
      await expect.poll(() => rows.count()).toBe(31);
    });
  });

  test('another run begins with empty plots; the last result stays', async () => {
    await onLivePage('load', {}, async (page) => {
      live?.publish({ kind: 'begin', label: 'run 1 of 2' });
      runFor(4);
      await shows(page, 4);
      await expect.poll(() => page.locator('.plot canvas').count()).toBe(5);
      live?.publish({ kind: 'line', text: 'run 1 of 2: held, 1000/s' });
      live?.publish({ kind: 'begin', label: 'run 2 of 2' });
      await expect.poll(() => page.locator('.plot canvas').count()).toBe(0);
      const lines = page.locator('.live-lines li');
      await expect.poll(() => lines.allTextContents()).toEqual(['run 1 of 2: held, 1000/s']);
      runFor(4);
      await expect.poll(textOf(page, '#live-sentence')).toMatch(/^run 2 of 2: 4 of 60 s/);
      await expect.poll(() => page.locator('.plot canvas').count()).toBe(5);
      expect(await lines.allTextContents()).toEqual(['run 1 of 2: held, 1000/s']);
    });
  });

  test('the page ends as the report of the run, and sends no more requests', async () => {
    await onLivePage('load', {}, async (page) => {
      live?.publish({ kind: 'line', text: 'run 1 of 1: held' });
      runFor(4);
      await shows(page, 4);
      live?.end(loadSample(20), '/tmp/out/report.html');
      await live?.close();
      await page.locator('#live-report pre').waitFor();
      await expect.poll(textOf(page, '#live-report pre')).toBe('/tmp/out/report.html');
      // The figures are those of the whole run, and none is left of its last second.
      const figures = page.locator('.tile dt');
      expect(await figures.allTextContents()).toEqual(['Achieved', 'p50', 'p99', 'Max', 'Failed']);
      expect(await page.locator('.tile').first().textContent()).toContain('of 5,000/s');
      await expect.poll(() => page.locator('.plot canvas').count()).toBeGreaterThan(4);
      expect(await page.locator('.plot').count()).toBe(await page.locator('.plot canvas').count());
      expect(await textOf(page, '.live-lines')()).toContain('run 1 of 1: held');
      expect(await textOf(page, '#live-state')()).toBe('ended');
      expect(await textOf(page, '#live-status')()).toMatch(/^The run has ended: /);
      expect(await page.title()).toMatch(/ · Load on staging · Fareproof live$/);
      await page.locator('#pause').waitFor({ state: 'hidden' });
      // Longer than the time after which a stream that broke is asked for again.
      await page.waitForTimeout(1500);
    });
  });

  test('what a reader does stays while the page is updated', async () => {
    await onLivePage('serve', {}, async (page) => {
      ask(40, { ...REQUEST, id: null, scenario: null, broken: null, durationUs: 310 });
      const rows = page.locator('#live-requests li');
      await expect.poll(() => rows.count()).toBe(40);
      const frame = page.locator('.live-frame');
      await frame.evaluate((element) => element.scrollTo(0, 300));
      const read = await rows.nth(10).elementHandle();
      await page.evaluate(() => {
        const row = document.querySelectorAll('#live-requests code')[10];
        getSelection()?.selectAllChildren(row!);
      });
      await page.getByLabel('Refusals only').focus();
      const topOf = () => read?.evaluate((row) => row.getBoundingClientRect().top);
      const before = await topOf();
      ask(10);
      await expect.poll(() => rows.count()).toBe(50);
      expect(await read?.evaluate((row) => row.isConnected)).toBe(true);
      // Scrolling rounds to pixels of the screen.
      expect(Math.abs((await topOf()) - before)).toBeLessThan(2);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('live-only-bad');
      expect(await page.evaluate(() => String(getSelection()))).toBe('POST /v1/oauth/token');
    });
  });

  test('a lost command is reported as gone', async () => {
    live = await LivePage.open(SUBJECTS.serve, TOKEN);
    const { page } = await browser.visit(live.url, {}, [`${live.url}events`]);
    ask(1);
    await page.locator('#live-requests li').waitFor();
    await page.route('**/events', (route) => route.abort());
    await page.reload();
    // What was known when it was opened is shown; after some attempts more it is given up.
    await expect.poll(textOf(page, '#live-state')).toBe('reconnecting');
    expect(await page.locator('#live-requests li').count()).toBe(1);
    // What is routed last goes before.
    await page.route('**/events', (route) => route.fulfill({ status: 404 }));
    await expect.poll(textOf(page, '#live-state')).toBe('connection lost');
    expect(await textOf(page, '#live-status')()).toContain('The command no longer responds');
    await page.close();
  });

  test('requests are listed as they are judged, with broken rules', async () => {
    await onLivePage('certify', {}, async (page) => {
      live?.publish({
        kind: 'scenario',
        name: 'steady-user',
        state: 'running',
        requests: 1,
        reason: '',
      });
      ask(2);
      ask(1, WRONG);
      live?.publish({
        kind: 'tally',
        requests: 3,
        good: 2,
        counts: [{ name: 'client/signature', count: 1 }],
      });
      const rows = page.locator('#live-requests li');
      await expect.poll(() => rows.count()).toBe(3);
      for (const words of [
        'fail',
        'POST /v1/oauth/token',
        '10:00:00.123',
        'steady-user',
        'x2',
        'status 401',
        'client/signature',
        'empty values are left in',
        'expected: the signature of the pairs',
      ]) {
        await expect.poll(() => rows.first().textContent()).toContain(words);
      }
      await expect.poll(textOf(page, '#live-tally')).toContain('computes SIGN correctly');
      await expect.poll(textOf(page, '#live-scenarios')).toContain('running');
      await page.getByLabel('Violations only').check();
      await expect.poll(() => page.locator('#live-requests li:visible').count()).toBe(1);
      // What is spoken does not follow each request; the tally, which came last, is there.
      expect(await page.locator('#live-status').textContent()).toBe('Listening');
    });
  });

  test('the page keeps only the last 200 requests, and says so', async () => {
    await onLivePage('serve', {}, async (page) => {
      ask(520, { ...REQUEST, id: null, scenario: null, broken: null, durationUs: 310 });
      live?.publish({ kind: 'tally', requests: 12_345, good: 12_345, counts: [] });
      await expect.poll(() => page.locator('#live-requests li').count()).toBe(200);
      await expect.poll(textOf(page, '#live-shown')).toBe('Latest 200 of 12,345 requests.');
      ask(30);
      const judged = page.locator('#live-requests li', { hasText: 'steady-user' });
      await expect.poll(() => judged.count()).toBe(30);
      expect(await judged.first().textContent()).toContain('ok');
      expect(await page.locator('#live-requests li').count()).toBe(200);
    });
  });

  test('the page pauses by keyboard, and resumes at the current second', async () => {
    await onLivePage('certify', {}, async (page) => {
      const rows = page.locator('#live-requests li');
      ask(1);
      await expect.poll(() => rows.count()).toBe(1);
      await page.getByRole('button', { name: 'Pause' }).focus();
      await page.keyboard.press('Enter');
      await expect.poll(textOf(page, '#pause')).toBe('Resume');
      ask(2);
      // Another stream of the same page has them.
      await page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            const source = new EventSource('events');
            source.addEventListener('message', ({ data }) => {
              if (!String(data).includes('request-3')) return;
              source.close();
              resolve();
            });
          }),
      );
      expect(await rows.count()).toBe(1);
      await page.keyboard.press('Space');
      await expect.poll(() => rows.count()).toBe(3);
    });
  });

  test('the charts follow the theme', async () => {
    await onLivePage('load', { scheme: 'dark' }, async (page) => {
      runFor(5);
      await shows(page, 5);
      const dark = await lookOf(page);
      await page.getByRole('button', { name: 'Use light colours' }).click();
      await expect.poll(() => lookOf(page)).not.toBe(dark);
      await page.evaluate(() => localStorage.clear());
    });
  });

  test('hostile text stays text: nothing runs, no element is created', async () => {
    await onLivePage('certify', {}, async (page) => {
      for (const text of HOSTILE_TEXTS) {
        const broken = [{ rule: text, level: 'must', expected: text, got: text } as const];
        ask(1, { ...WRONG, id: text, scenario: text, method: text, path: text, broken });
        live?.publish({ kind: 'scenario', name: text, state: 'ended', requests: 1, reason: text });
      }
      const counts = HOSTILE_TEXTS.map((name) => ({ name, count: 1 }));
      live?.publish({ kind: 'tally', requests: HOSTILE_TEXTS.length, good: 0, counts });
      live?.end(null, HOSTILE_TEXTS.join(' '));
      await page.locator('#live-report pre').waitFor();
      for (const list of ['requests', 'tally', 'scenarios']) {
        const rows = page.locator(`#live-${list} > li`);
        await expect.poll(() => rows.count()).toBe(HOSTILE_TEXTS.length);
      }
      const built = await page.evaluate(() => ({
        hit: 'hit' in globalThis,
        scripts: document.scripts.length,
        strange: document.querySelectorAll('img, iframe, object, base, main a').length,
        handlers: [...document.querySelectorAll('*')].filter((element) =>
          element.getAttributeNames().some((name) => name.startsWith('on')),
        ).length,
      }));
      expect(built).toEqual({ hit: false, scripts: 2, strange: 0, handlers: 0 });
    });
  });

  test.each([
    { kind: 'load', width: 1280, scheme: 'light' },
    { kind: 'load', width: 390, scheme: 'dark' },
    { kind: 'certify', width: 1280, scheme: 'dark' },
    { kind: 'certify', width: 390, scheme: 'light' },
    { kind: 'serve', width: 1280, scheme: 'light' },
    { kind: 'serve', width: 390, scheme: 'dark' },
  ] as const)(
    'the page of $kind has no violation and fits at $width pixels in $scheme, moving and ended',
    async ({ kind, width, scheme }) => {
      await onLivePage(kind, { width, scheme }, async (page) => {
        if (kind !== 'certify') runFor(5, 0, AGENTS);
        if (kind !== 'load') {
          ask(20);
          ask(3, { ...WRONG, path: `/v1/${'very-long-path/'.repeat(20)}` });
          const counts = [{ name: 'client/signature', count: 3 }];
          live?.publish({ kind: 'tally', requests: 23, good: 20, counts });
          await expect.poll(() => page.locator('#live-requests li').count()).toBe(23);
        }
        if (kind !== 'certify') await page.locator('#live-rate canvas').waitFor();
        if (kind === 'load') await shows(page, 5);
        for (const summary of await page.locator('summary').all()) await summary.click();
        if (kind !== 'certify') {
          const rows = page.locator('[data-chart=live-latency] tbody tr');
          await expect.poll(() => rows.count()).toBe(5);
        }
        expect(await violationsOn(page)).toEqual([]);
        await expect.poll(() => widest(page)).toBe(width);
        live?.end(kind === 'load' ? loadSample(20) : null, `/tmp/${'long-name-'.repeat(20)}.html`);
        await page.locator('#live-report pre').waitFor();
        expect(await violationsOn(page)).toEqual([]);
        await expect.poll(() => widest(page)).toBe(width);
      });
    },
  );
});
