// Builds the documentation site: the pages of the repository, and pages made from the command line, the
// catalogue of rules, the schemas and the types of the library.
//
//   npm run site [-- --out FOLDER]        (builds first; default site/)

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commandsPage } from './commands-page.mjs';
import { documentsPage } from './documents-page.mjs';
import { layOut } from './layout.mjs';
import { libraryPage } from './library-page.mjs';
import { renderMarkdown } from './markdown.mjs';
import { rulesPage } from './rules-page.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Page of the site: its file, its entry in the navigation, and its Markdown, whose links are relative to
 * `source`.
 *
 * @typedef {{ file: string, group: string, name: string, source: string, markdown: string }} Page
 */

/** @type {readonly [group: string, name: string, source: string][]} */
const WRITTEN = [
  ['Start', 'Overview', 'README.md'],
  ['Guides', 'Check a service', 'docs/check.md'],
  ['Guides', 'Certify a client', 'docs/certify.md'],
  ['Guides', 'Load', 'docs/load.md'],
  ['Guides', 'Load results', 'docs/load-results.md'],
  ['Guides', 'Highest rate, comparisons', 'docs/compare.md'],
  ['Guides', 'Many machines', 'docs/many-machines.md'],
  ['Guides', 'Metrics', 'docs/metrics.md'],
  ['Guides', 'Server on several cores', 'docs/workers.md'],
  ['Guides', 'CI', 'docs/ci.md'],
  ['Guides', 'Verdicts', 'docs/verdicts.md'],
  ['Reference', 'Interface', 'docs/interface.md'],
  ['Reference', 'Vocabulary', 'docs/vocabulary.md'],
  ['Project', 'Performance', 'docs/performance.md'],
  ['Project', 'Security', 'SECURITY.md'],
  ['Project', 'Contributing', 'CONTRIBUTING.md'],
  ['Project', 'Changelog', 'CHANGELOG.md'],
];

/** File on the site of a page of the repository. */
const fileOf = (/** @type {string} */ source) =>
  source === 'README.md'
    ? 'index.html'
    : source
        .replace(/^docs\//, '')
        .replace(/\.md$/, '.html')
        .toLowerCase();

/** @returns {Page[]} */
function pages() {
  const written = WRITTEN.map(([group, name, source]) => ({
    file: fileOf(source),
    group,
    name,
    source,
    markdown: readFileSync(join(ROOT, source), 'utf8'),
  }));
  const made = [
    { file: 'commands.html', name: 'Commands', markdown: commandsPage() },
    { file: 'rules.html', name: 'Rules and gaps', markdown: rulesPage() },
    { file: 'documents.html', name: 'Documents', markdown: documentsPage() },
    { file: 'library.html', name: 'Library', markdown: libraryPage() },
  ].map((page) => ({ ...page, group: 'Reference', source: 'README.md' }));
  return [...written, ...made];
}

const { values: flags } = parseArgs({ options: { out: { type: 'string' } } });
const out = flags.out ?? join(ROOT, 'site');
rmSync(out, { recursive: true, force: true });
const all = pages();
/** @type {ReadonlyMap<string, string>} */
const files = new Map(WRITTEN.map(([, , source]) => [source, fileOf(source)]));
for (const page of all) {
  const file = join(out, page.file);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, layOut(page, all, renderMarkdown(page.markdown, page.source, files)));
}
mkdirSync(join(out, 'pictures'));
for (const name of readdirSync(join(ROOT, 'docs/pictures')))
  copyFileSync(join(ROOT, 'docs/pictures', name), join(out, 'pictures', name));
mkdirSync(join(out, 'schemas'));
for (const name of readdirSync(join(ROOT, 'schemas')))
  copyFileSync(join(ROOT, 'schemas', name), join(out, 'schemas', name));
console.log(`${all.length} pages in ${out}`);
