import { Command, Help } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands/table.ts';
import { capturedIo, runCaptured } from '../../support/captured-io.ts';

const { io } = capturedIo({});
const unused = () => Promise.reject(new Error('runs no command'));

test.each(COMMANDS)('lists $name as commander would', async ({ name, usage, load }) => {
  const command = new Command(name);
  (await load())(command, io, { run: unused, loadAll: unused });
  expect(`${name} ${usage}`).toBe(new Help().subcommandTerm(command));
});

test('lists every command, and help itself', async () => {
  const { exitCode, stdout } = await runCaptured(['--help']);
  const listed = [...stdout.matchAll(/^ {2}([a-z]+) [[<]/gm)].map(([, name]) => name);
  expect({ exitCode, listed }).toEqual({
    exitCode: 0,
    listed: [...COMMANDS.map(({ name }) => name), 'help'],
  });
});

test.each([{ args: ['check', '--help'] }, { args: ['help', 'check'] }])(
  'prints the flags of a command for $args',
  async ({ args }) => {
    const { exitCode, stdout } = await runCaptured(args);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('judge a service by every documented rule');
    expect(stdout).toContain('--suite <name|file>');
  },
);

test.each([
  ...[['chekc'], ['chekc', '--help'], ['help', 'chekc']].map((args) => ({
    args,
    said: "unknown command 'chekc'\n(Did you mean check?)",
  })),
  {
    args: ['check', '--siute', 'smoke'],
    said: "unknown option '--siute'\n(Did you mean --suite?)",
  },
  { args: ['--hlep'], said: "unknown option '--hlep'\n(Did you mean --help?)" },
])('suggests what $args may mean', async ({ args, said }) => {
  const { exitCode, stderr } = await runCaptured(args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(said);
});

test('prints the help where no command is given', async () => {
  const { exitCode, stderr } = await runCaptured([]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Usage: fareproof [options] [command]');
});
