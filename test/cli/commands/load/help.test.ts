import { expect, it } from 'vitest';
import { flagOf } from '../../../../src/cli/flags/load-option.ts';
import { OPTION_NAMES, OPTION_ROWS } from '../../../../src/load/options.ts';
import { runCaptured } from '../../../support/captured-io.ts';

async function listedBy(...args: string[]): Promise<{ flags: string[]; stdout: string }> {
  const { exitCode, stdout } = await runCaptured(args);
  expect(exitCode).toBe(0);
  return { stdout, flags: stdout.match(/(?<=^ +)--(?!help)[\w-]+/gm) ?? [] };
}

it.each([[['load', '--help']], [['help', 'load']]])(
  '%s lists the fifteen options that people use, and four examples',
  async (args) => {
    const { flags, stdout } = await listedBy(...args);
    expect(flags).toEqual(OPTION_NAMES.filter((name) => OPTION_ROWS[name].common).map(flagOf));
    expect(flags).toHaveLength(15);
    expect(stdout.match(/^ {2}\$ fareproof load /gm)).toHaveLength(4);
    expect(stdout).toContain('--help-all');
  },
);

it('load --help-all lists every option', async () => {
  const { flags } = await listedBy('load', '--help-all');
  expect(flags).toEqual(OPTION_NAMES.map(flagOf));
});

it('suggests an option that --help does not list', async () => {
  const { exitCode, stderr } = await runCaptured(['load', '--arivals', 'poisson']);
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Did you mean --arrivals?') as string,
  });
});
