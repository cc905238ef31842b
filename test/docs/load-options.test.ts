import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { flagOf, loadOption } from '../../src/cli/flags/load-option.ts';
import { valuesOf } from '../../src/interface/options.ts';
import { OPTION_NAMES, OPTION_ROWS, type OptionName } from '../../src/load/options.ts';

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`);

function lineOf(name: OptionName): string {
  const row = OPTION_ROWS[name];
  const flag = `\`${loadOption(name).flags}\``;
  const named = (names: readonly string[] = []): string =>
    names.map((other) => `\`${flagOf(other)}\``).join(', ');
  const meaning = [
    row.help,
    ...(row.conflicts ? [`not with ${named(row.conflicts)}`] : []),
    ...(row.needs ? [`only with ${named(row.needs)}`] : []),
  ].join('; ');
  const values = row.kind === 'text' && !row.choices ? '' : valuesOf(row);
  const usual = row.absent ?? row.default ?? '';
  const cells = [flag, values, row.ofRun ? 'yes' : '', `${usual}`, meaning];
  return `| ${cells.map(cell).join(' | ')} |`;
}

const groups = [...new Set(OPTION_NAMES.map((name) => OPTION_ROWS[name].group))];

it('docs/load.md has each option as it is declared (vitest -u writes it)', async () => {
  const page = readFileSync(new URL('../../docs/load.md', import.meta.url), 'utf8');
  const table = groups.flatMap((group) => [
    `### ${group}`,
    '',
    '| option | value | of a run | default | meaning |',
    '|---|---|---|---|---|',
    ...OPTION_NAMES.filter((name) => OPTION_ROWS[name].group === group).map(lineOf),
    '',
  ]);
  const written = page.replace(
    /<!-- options of load -->[\s\S]*<!-- end -->/,
    () => `<!-- options of load -->\n\n${table.join('\n')}\n<!-- end -->`,
  );
  expect(written).toContain('`--rate <n>`');
  await expect(written).toMatchFileSnapshot('../../docs/load.md');
});
