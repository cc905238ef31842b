import { expect, it } from 'vitest';
import { flagOf, loadOption } from '../../src/cli/flags/load-option.ts';
import { valuesOf } from '../../src/load/option-schema.ts';
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

it('docs/load-options.md has each option as it is declared (vitest -u writes it)', async () => {
  const page = [
    '# Options of load',
    '',
    'The options of `fareproof load`. Those of a run can also stand in a suite, under `load`, and in the options of',
    '`runLoad` and `toHoldLoad`, by the name of their flag in camel case: `--abort-on` is `abortOn`. A flag',
    'goes before the option of a suite, and replaces those that it cannot be given with. [load.md](load.md) explains how to use',
    'them.',
    ...groups.flatMap((group) => [
      '',
      `## ${group}`,
      '',
      '| option | value | of a run | default | meaning |',
      '|---|---|---|---|---|',
      ...OPTION_NAMES.filter((name) => OPTION_ROWS[name].group === group).map(lineOf),
    ]),
    '',
  ].join('\n');
  await expect(page).toMatchFileSnapshot('../../docs/load-options.md');
});
