// Bundles scripts and styles of the report pages into src/report/page-assets.ts: scripts by rolldown
// from src/report/browser/report/main.ts (a report with charts), report/plain.ts (one without) and
// live/main.ts (a live page), styles by Lightning CSS from styles/. uPlot is not among them: a page gets it
// from its package when it is written.
//
//   node tools/build-page.mjs

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from 'lightningcss';
import { rolldown } from 'rolldown';

const BROWSER = fileURLToPath(new URL('../src/report/browser/', import.meta.url));
const TARGET = new URL('../src/report/page-assets.ts', import.meta.url);

/** @param {string} name */
function bundleStyle(name) {
  return bundle({ filename: join(BROWSER, 'styles', name), minify: true }).code.toString();
}

/**
 * Text of a script; those that draw charts find uPlot as a global.
 *
 * @param {string} entry
 */
async function bundleScript(entry) {
  const build = await rolldown({
    input: join(BROWSER, entry),
    platform: 'browser',
    plugins: [globalUplot],
    logLevel: 'warn',
  });
  const { output } = await build.generate({ format: 'iife', minify: true, comments: false });
  await build.close();
  return output[0].code.trim();
}

/** Takes uPlot from the global of the script before. */
const globalUplot = {
  name: 'global-uplot',
  resolveId: (/** @type {string} */ id) => (id === 'uplot' ? '\0uplot' : null),
  load: (/** @type {string} */ id) => (id === '\0uplot' ? 'export default uPlot;' : null),
};

/** The scripts find what comes before them: uPlot, but for PLAIN_SCRIPT, which draws no charts. */
const assets = {
  PAGE_STYLE: bundleStyle('report.css'),
  CHART_STYLE: bundleStyle('uplot.css'),
  LIVE_STYLE: bundleStyle('live.css'),
  PLAIN_SCRIPT: await bundleScript('report/plain.ts'),
  PAGE_SCRIPT: await bundleScript('report/main.ts'),
  LIVE_SCRIPT: await bundleScript('live/main.ts'),
};
for (const [name, text] of Object.entries(assets)) {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${name} would end its element`);
}
writeFileSync(
  TARGET,
  Object.entries(assets)
    .map(([name, text]) => `export const ${name}: string = ${JSON.stringify(text)};\n`)
    .join(''),
);
