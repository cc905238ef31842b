// @module-tag long
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { GAPS, RULES } from '../../src/interface/index.ts';
import { temporaryFolderOfFile } from '../support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const folder = temporaryFolderOfFile();
const site = join(folder, 'site');
let pages: ReadonlyMap<string, string>;

beforeAll(() => {
  const build = [join(ROOT, 'tools/site/build.mjs'), '--out', site];
  execFileSync(process.execPath, build, { stdio: 'pipe', timeout: 100_000 });
  const names = readdirSync(site).filter((name) => name.endsWith('.html'));
  pages = new Map(names.map((name) => [name, readFileSync(join(site, name), 'utf8')]));
});

const page = (name: string): string => pages.get(name) ?? '';

const idsOf = (html: string): Set<string> =>
  new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));

describe('the documentation site', { timeout: 120_000 }, () => {
  it('has a page for each one in docs/', () => {
    const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    const missing = docs
      .map((name) => name.replace('.md', '.html'))
      .filter((name) => !pages.has(name));
    expect(missing).toEqual([]);
  });

  it('has no broken link, and no page that links to nothing', () => {
    const broken = [...pages].flatMap(([name, html]) =>
      [...html.matchAll(/ (?:href|src)="([^"]+)"/g)]
        .map(([, address = '']) => address)
        .filter((address) => !/^[a-z]+:/.test(address) && !leadsSomewhere(name, address))
        .map((address) => `${name}: ${address}`),
    );
    expect(broken).toEqual([]);
    expect(leadsSomewhere('index.html', 'none.html')).toBe(false);
    expect(leadsSomewhere('index.html', 'rules.html#none')).toBe(false);
  });

  it('has an anchor for each rule and each gap, which is its id', () => {
    const ids = idsOf(page('rules.html'));
    expect([...RULES, ...GAPS].map(({ id }) => id).filter((id) => !ids.has(id))).toEqual([]);
  });

  it('has the help of each command', () => {
    expect(page('commands.html')).toMatch(/<h2 id="check">[\s\S]*--strict-waivers/);
    expect(page('commands.html')).toMatch(/<h2 id="agent">[\s\S]*--join/);
  });

  it('has the fields of each document', () => {
    for (const name of readdirSync(join(ROOT, 'schemas')))
      expect(page('documents.html')).toContain(`<h2 id="${name.replace('.json', '')}">`);
    expect(page('documents.html')).toContain('<code>repeatedPairs</code>');
  });

  it('has each export of the library, with its description', async () => {
    const library = await import('../../src/index.ts');
    const missing = Object.keys(library).filter(
      (name) => !page('library.html').includes(`<h3 id="${name.toLowerCase()}">`),
    );
    expect(missing).toEqual([]);
    expect(page('library.html')).toMatch(/<h3 id="checkservice">[\s\S]*?<p>\w/);
  });
});

function leadsSomewhere(from: string, address: string): boolean {
  const [path = '', anchor] = address.split('#');
  const name = path === '' ? from : path;
  if (!existsSync(join(site, name))) return false;
  return (
    anchor === undefined ||
    anchor === 'content' ||
    idsOf(page(name)).has(decodeURIComponent(anchor))
  );
}
