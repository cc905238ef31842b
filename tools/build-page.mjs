// Bundles what a page carries with it, uPlot included, into src/report/page-assets.ts: the script of a
// report from src/report/browser/report/main.ts, that of a report without charts from plain.ts beside
// it, that of a live page from live/main.ts, and their styles from styles/.
//
//   node tools/build-page.mjs

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const PAGE = new URL('../src/report/browser/', import.meta.url);
const TARGET = new URL('../src/report/page-assets.ts', import.meta.url);
const uplot = createRequire(import.meta.url).resolve('uplot/package.json');

/** The text of page-assets.ts, from the sources as they are. */
export async function bundlePage() {
  const notice = noticeOf('uPlot', uplot);
  const style = minified(read(PAGE, 'styles/page.css'));
  const chartStyle = `/*! ${notice} */\n${read(uplot, './dist/uPlot.min.css')}${minified(read(PAGE, 'styles/charts.css'))}`;
  const plainScript = await bundleScript('report/plain.ts');
  const script = `/*! ${notice} */\n${await bundleScript('report/main.ts')}`;
  const liveScript = `/*! ${notice} */\n${await bundleScript('live/main.ts')}`;
  const liveStyle = minified(read(PAGE, 'styles/live.css'));
  const parts = { script, plainScript, style, chartStyle, liveScript, liveStyle };
  for (const [what, text] of Object.entries(parts)) {
    if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`the ${what} would end its element`);
  }
  return [
    '// Made by tools/build-page.mjs; `npm run build` makes it anew.',
    '',
    '/** The script of a report. */',
    `export const PAGE_SCRIPT: string = ${JSON.stringify(script)};`,
    '/** The script of a report without charts. */',
    `export const PLAIN_SCRIPT: string = ${JSON.stringify(plainScript)};`,
    '/** The style of a report. */',
    `export const PAGE_STYLE: string = ${JSON.stringify(style)};`,
    '/** What charts have before it. */',
    `export const CHART_STYLE: string = ${JSON.stringify(chartStyle)};`,
    '/** The script of a live page. */',
    `export const LIVE_SCRIPT: string = ${JSON.stringify(liveScript)};`,
    '/** What a live page has beside the style of a report. */',
    `export const LIVE_STYLE: string = ${JSON.stringify(liveStyle)};`,
    '',
  ].join('\n');
}

/**
 * A style without what is for its reader: the house writes one declaration a line.
 *
 * @param {string} css
 */
function minified(css) {
  return css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .replaceAll(/ \{\n/g, '{')
    .replaceAll(/;\n\}/g, '}')
    .replaceAll(/^([a-z-]+|--[a-z-]+): /gm, '$1:')
    .replaceAll(/([{;,(])\n/g, '$1')
    .replaceAll(/\n(?=\))/g, '')
    .trim();
}

/** @param {string} entry */
async function bundleScript(entry) {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(entry, PAGE)),
    platform: 'browser',
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({
    format: 'iife',
    minify: true,
    comments: { legal: false },
  });
  await bundle.close();
  return output[0].code.trim();
}

/**
 * Whose work is carried along, as its licence asks to be told.
 *
 * @param {string} name
 * @param {string} manifest path of its package.json
 */
function noticeOf(name, manifest) {
  const { version, license, homepage } = JSON.parse(readFileSync(manifest, 'utf8'));
  const copyright = /Copyright .*/i.exec(read(manifest, './LICENSE'))?.[0];
  if (!copyright) throw new Error(`the licence of ${name} names no copyright`);
  return `${name} ${version}, ${license}. ${copyright}. ${homepage}`;
}

/**
 * @param {string | URL} base
 * @param {string} path
 */
function read(base, path) {
  return readFileSync(new URL(path, typeof base === 'string' ? `file://${base}` : base), 'utf8');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(TARGET, await bundlePage());
}
