import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const LIBRARY = new URL('src/library/', ROOT);

const sources = readdirSync(LIBRARY)
  .map((name) => readFileSync(new URL(name, LIBRARY), 'utf8'))
  .join('\n');

/** An option as it is declared: its docstring, then `readonly name?: type;`. */
const OPTION = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*readonly (\w+)(\??): ([^;]+);/g;

/** Rows of the options that an interface declares itself. */
function rowsOf(name: string): string[] {
  const block =
    new RegExp(`export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(sources)?.[1] ?? '';
  return [...block.matchAll(OPTION)].map(([, words = '', option = '', mark = '', type = '']) => {
    const text = words.replaceAll(/\s*\n\s*\*\s*/g, ' ').trim();
    const [meaning = '', usual = mark === '' ? 'required' : ''] = text.split(/(?<=\.) Default /);
    const shown = type
      .replace(/ \| undefined$/, '')
      .replaceAll(/\s+/g, ' ')
      .replace(/^\((.*)\)$/, '$1');
    const cells = [`\`${option}\``, `\`${shown}\``, usual.replace(/\.$/, ''), meaning];
    return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  });
}

it('docs/library.md has each option as it is declared (vitest -u writes it)', async () => {
  const page = readFileSync(new URL('docs/library.md', ROOT), 'utf8');
  const written = page.replaceAll(
    /<!-- options of (.*) -->[\s\S]*?<!-- end -->/g,
    (_block, names: string) =>
      [
        `<!-- options of ${names} -->`,
        '| option | type | default | meaning |',
        '|---|---|---|---|',
        ...names.split(', ').flatMap(rowsOf),
        '<!-- end -->',
      ].join('\n'),
  );
  await expect(written).toMatchFileSnapshot('../../docs/library.md');
});

it('each option on the page says its default, or that it is required', () => {
  const rows = [
    'CheckOptions',
    'CertifyOptions',
    'LoadOptions',
    'CompareOptions',
    'TargetOptions',
  ].flatMap(rowsOf);
  expect(rows.length).toBeGreaterThan(40);
  const silent = rows
    .filter((row) => row.includes(' |  | '))
    .map((row) => /`(\w+)`/.exec(row)?.[1]);
  expect(new Set(silent)).toEqual(new Set(['onRule', 'onScenario', 'signal']));
});
