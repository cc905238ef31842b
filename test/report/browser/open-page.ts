import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { RunDocument } from '../../../src/documents/run-document.ts';
import { toHtml } from '../../../src/report/index.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of the browser that the tests use; null if there is none. */
export const CHROMIUM: string | null = PLACES.find((path) => existsSync(path)) ?? null;

/** Advice if there is no Chromium. */
export const HOW_TO_GET_CHROMIUM =
  'The reports were NOT tried in a real browser, for there is no Chromium here. ' +
  'Get it with: apt-get update && apt-get install -y chromium';

/** Ends a hang, of the browser or of a page; nothing is measured by it. */
const LIMIT_MS = 300_000;

/** Reads what an element says now, for `expect.poll`: what a page shows, it shows a while later. */
export function textOf(page: Page, selector: string): () => Promise<string | null> {
  return () => page.locator(selector).first().textContent();
}

/** Options for opening a page. */
export interface View {
  width?: number;
  scheme?: 'light' | 'dark';
  /** True if the visitor asks for little motion. */
  motion?: 'reduce' | 'no-preference';
}

/** A browser that opens reports from the file system and writes down what they do. */
export class ReportBrowser {
  readonly #browser: Browser;
  readonly #folder: string;
  readonly #contexts = new Map<string, Promise<BrowserContext>>();
  #count = 0;

  private constructor(browser: Browser, folder: string) {
    this.#browser = browser;
    this.#folder = folder;
  }

  /** @param folder where reports are put to be opened */
  static async start(executablePath: string, folder: string): Promise<ReportBrowser> {
    const browser = await chromium.launch({
      executablePath,
      timeout: LIMIT_MS,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    return new ReportBrowser(browser, folder);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  /** The profile of a visitor; the same for every page of the same view. */
  #contextFor({
    width = 1280,
    scheme = 'light',
    motion = 'reduce',
  }: View): Promise<BrowserContext> {
    const view = `${width} ${scheme} ${motion}`;
    const known = this.#contexts.get(view);
    if (known) return known;
    const context = this.#browser
      .newContext({ viewport: { width, height: 900 }, colorScheme: scheme, reducedMotion: motion })
      .then((opened) => {
        opened.setDefaultTimeout(LIMIT_MS);
        return opened;
      });
    this.#contexts.set(view, context);
    return context;
  }

  /** A page on the documents, and the list to which everything that it should not do is added. */
  async open(
    documents: readonly RunDocument[],
    view: View = {},
  ): Promise<{ page: Page; complaints: string[] }> {
    this.#count += 1;
    const file = join(this.#folder, `${this.#count}.html`);
    writeFileSync(file, toHtml(documents));
    const opened = await this.visit(pathToFileURL(file).href, view);
    await opened.page.waitForFunction(() =>
      [...document.querySelectorAll('.plot')].every(
        (plot) => !plot.checkVisibility() || plot.querySelector('canvas'),
      ),
    );
    return opened;
  }

  /** As {@link open}, for a page that is there already; it may ask for what `mayAsk` names. */
  async visit(
    address: string,
    view: View = {},
    mayAsk: readonly string[] = [],
  ): Promise<{ page: Page; complaints: string[] }> {
    const page = await (await this.#contextFor(view)).newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const known = [address, ...mayAsk];
    page.on('request', (request) => {
      const url = request.url();
      if (!known.includes(url.split('#')[0] ?? '') && !url.startsWith('data:')) {
        complaints.push(`request: ${url}`);
      }
    });
    await page.goto(address);
    return { page, complaints };
  }
}
