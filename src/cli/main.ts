import { Command, CommanderError, Help } from 'commander';
import { describeSystemError } from '../app/files/system-error.ts';
import { KnownSecrets } from '../app/known-secrets.ts';
import { TOOL } from '../app/tool.ts';
import { ConfigurationError, FareproofError } from '../interface/errors.ts';
import { COMMANDS } from './commands/table.ts';
import type { Io, ProcessIo } from './io.ts';
import { EXIT, worseExitCode } from './output/exit-codes.ts';
import { reportErrorToGithub } from './output/github.ts';
import { reportErrorToGitlab } from './output/gitlab.ts';
import { proxyWords } from './output/proxy-words.ts';

/**
 * Runs one command line and returns its exit code: 0 passed, 1 failed, 2 wrong usage or
 * configuration, 3 inconclusive, 130 interrupted. Never throws.
 */
export async function runCommandLine(args: readonly string[], process: ProcessIo): Promise<number> {
  let exitCode: number = EXIT.passed;
  const undelivered: unknown[] = [];
  const secrets = new KnownSecrets();
  const io: Io = {
    ...process,
    secrets,
    note: (line) => process.stderr.write(`${secrets.hideIn(line)}\n`),
    exit: (code) => (exitCode = code),
    deliver: async (write) => {
      try {
        await write();
        return true;
      } catch (error) {
        undelivered.push(error);
        return false;
      }
    },
  };
  const program = buildProgram(io);
  const command = program.commands.find((each) => each.name() === args[0]);
  try {
    const [first, asked] = args;
    const name = first === 'help' ? asked : first;
    const named = program.commands.find((each) => each.name() === name);
    // The help of a command is the only use of it that commander announces to no hook.
    if (first === 'help' && named) await define(named, io);
    // Alone, an unknown command is refused; beside `--help`, commander would print that of the program.
    const isUnknown = name !== undefined && !name.startsWith('-') && !named;
    await program.parseAsync(isUnknown ? [name] : args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.passed;
      await reportErrorToCi(error.message, io, command);
      if (command) await prepareOut(command, io).catch(() => undefined);
      return EXIT.usage;
    }
    exitCode = worseExitCode(exitCode, await reportError(io, error, command));
  }
  for (const error of undelivered) await reportError(io, error, command);
  return undelivered.length > 0 ? worseExitCode(exitCode, EXIT.inconclusive) : exitCode;
}

/** Program that lists its commands; a command has its flags once it is defined. */
function buildProgram(io: Io): Command {
  const program = new Command('fareproof')
    .description(
      'Load-testing and conformance harness, with a reference server, for a ride service.',
    )
    .version(TOOL.version)
    .showHelpAfterError('(see the options of this command with --help)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .configureHelp({ subcommandTerm })
    .addHelpText(
      'after',
      '\nExit codes: 0 passed, 1 failed, 2 wrong usage or configuration,\n3 could not judge, 130 interrupted.\n\nExample:\n  $ fareproof demo',
    )
    .hook('preSubcommand', (_, command) => define(command, io))
    .hook('preAction', (_, command) => prepareOut(command, io));
  for (const { name, summary } of COMMANDS) program.command(name).description(summary);
  return program;
}

/** Flags that write no run, or continue one. */
const WITHOUT_NEW_RUN = ['plan', 'resume', 'list', 'verify'] as const;

/** Prepares the folder of `--out` for a command that writes a run. */
async function prepareOut(command: Command, io: Io): Promise<void> {
  const flags: Readonly<Record<string, unknown>> = command.opts();
  const isFolder = command.options.some(({ flags: words }) => words === '--out <dir>');
  if (!isFolder || typeof flags['out'] !== 'string') return;
  if (WITHOUT_NEW_RUN.some((name) => flags[name] !== undefined)) return;
  const { clearOut } = await import('../app/files/run-folder.ts');
  await clearOut(io, flags['out']);
}

/** Adds its flags, arguments and action to a command. */
async function define(command: Command, io: Io): Promise<void> {
  const entry = COMMANDS.find(({ name }) => name === command.name());
  const addTo = await entry?.load();
  addTo?.(command, io, {
    run: (args) => runCommandLine(args, io),
    loadAll: async () => {
      const program = buildProgram(io);
      for (const each of program.commands) await define(each, io);
      return program;
    },
  });
}

/** A command as the help lists it, without its flags and arguments being defined. */
function subcommandTerm(command: Command): string {
  const entry = COMMANDS.find(({ name }) => name === command.name());
  return entry ? `${entry.name} ${entry.usage}` : new Help().subcommandTerm(command);
}

/** The message of an error; each option is named by the flag of the command, if it has one. */
function messageOf(error: FareproofError, command: Command | undefined): string {
  if (!(error instanceof ConfigurationError)) return error.message;
  return error.messageFor((field) => {
    const [name] = field.split(/[.[]/);
    return command?.options.find((each) => each.attributeName() === name)?.long ?? field;
  });
}

/** Writes what ended a command, on stderr and to the CI service; returns the exit code. */
async function reportError(io: Io, error: unknown, command: Command | undefined): Promise<number> {
  const { text, exitCode } = await describeError(error, command);
  io.note(text);
  const aboutProxy = proxyWords(text, io.env);
  if (aboutProxy !== null) io.note(aboutProxy);
  await reportErrorToCi(text, io, command);
  return exitCode;
}

async function reportErrorToCi(text: string, io: Io, command: Command | undefined): Promise<void> {
  await reportErrorToGithub(text, io);
  await reportErrorToGitlab(text, command?.opts() ?? {}, io);
}

/** Message for the user, with a stack only for internal errors, and the exit code. */
async function describeError(
  error: unknown,
  command: Command | undefined,
): Promise<{ text: string; exitCode: number }> {
  if (error instanceof FareproofError && error.code === 'INTERRUPTED')
    return { text: error.message, exitCode: EXIT.interrupted };
  if (error instanceof FareproofError) {
    // A message may quote a file, a target or a client.
    const { escapeTerminal } = await import('../report/index.ts');
    const text = `error ${error.code}: ${escapeTerminal(messageOf(error, command))}`;
    return { text, exitCode: error instanceof ConfigurationError ? EXIT.usage : EXIT.inconclusive };
  }
  return { text: describeOther(error), exitCode: EXIT.inconclusive };
}

function describeOther(error: unknown): string {
  const system = describeSystemError(error);
  if (system !== null) {
    const { code, cause, remedy, path } = system;
    return `error ${code}: ${path === null ? '' : `${path}: `}${cause}. ${remedy}`;
  }
  const { code: errorCode, message = '' } = error as Partial<NodeJS.ErrnoException>;
  if (errorCode === 'ERR_MODULE_NOT_FOUND') {
    const [what] = message.split('\n');
    const why = 'Raise ulimit -n if it is low, or install fareproof again.';
    return `error NOT_LOADED: a file of fareproof could not be loaded: ${what}. ${why}`;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `error INTERNAL: this is a bug in fareproof, please report it\n${detail}`;
}
