import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { runCaptured } from '../support/captured-io.ts';
import { readAction } from './action-runner.ts';

const TEXT = readFileSync(new URL('../../action.yml', import.meta.url), 'utf8');

it('each input is used, and each that is used is declared', () => {
  const { inputs } = readAction(TEXT);
  const used = TEXT.matchAll(/\binputs\.([\w-]+)/g);
  expect(new Set([...used].map(([, name]) => name))).toEqual(new Set(Object.keys(inputs)));
});

it('each input that is a flag of a command is passed as that flag', async () => {
  const helps = await Promise.all(
    ['check', 'certify', 'load'].map((command) => runCaptured([command, '--help'])),
  );
  const known = new Set(helps.flatMap(({ stdout }) => stdout.match(/(?<=^ +)--[\w-]+/gm) ?? []));
  const passed = [...TEXT.matchAll(/^ +(?:value|values|switch) (--[\w-]+) "\$FAREPROOF_(\w+)"$/gm)];
  expect(passed.map(([, flag]) => flag).filter((flag) => !known.has(flag ?? ''))).toEqual([]);
  for (const [, flag, variable = ''] of passed)
    expect(`--${variable.toLowerCase().replaceAll('_', '-')}`).toBe(flag);
  const inputs = Object.keys(readAction(TEXT).inputs).filter((name) => known.has(`--${name}`));
  // The script passes it with its default.
  const others = inputs.filter((name) => name !== 'out');
  expect(new Set(passed.map(([, flag]) => flag))).toEqual(
    new Set(others.map((name) => `--${name}`)),
  );
});

it('runs the version that it belongs to if there is none in node_modules', () => {
  expect(TEXT).toContain(`npx --yes fareproof@${packageFile.version})`);
});
