import { Command, CommanderError } from 'commander';
import { ConfigurationError, FareproofError } from '../interface/errors.ts';
import { type Io, note } from './io.ts';
import { EXIT } from './output/exit-codes.ts';
import { TOOL } from './tool.ts';

/**
 * Runs one command line and returns its exit code: 0 passed, 1 failed, 2 wrong usage or
 * configuration, 3 inconclusive, 130 interrupted. Never throws.
 */
export async function runCommandLine(
  args: readonly string[],
  process: Omit<Io, 'exit'>,
): Promise<number> {
  let exitCode: number = EXIT.passed;
  const io: Io = { ...process, exit: (code) => (exitCode = code) };
  try {
    const program = await buildProgram(args[0], io);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.passed : EXIT.usage;
    return await reportError(io, error);
  }
  return exitCode;
}

type Define = (program: Command, io: Io) => void;

/**
 * The commands, in the order of the help. Each is loaded only when it is used, so that one does not
 * slow down another.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Define>>> = {
  demo: async () => {
    const { defineDemo } = await import('./commands/demo.ts');
    return (program, io) => defineDemo(program, io, (args) => runCommandLine(args, io));
  },
  init: async () => (await import('./commands/init/command.ts')).defineInit,
  serve: async () => (await import('./commands/serve/command.ts')).defineServe,
  check: async () => (await import('./commands/check/command.ts')).defineCheck,
  replay: async () => (await import('./commands/replay/command.ts')).defineReplay,
  certify: async () => (await import('./commands/certify/command.ts')).defineCertify,
  load: async () => (await import('./commands/load/command.ts')).defineLoad,
  agent: async () => (await import('./commands/agent/command.ts')).defineAgent,
  compare: async () => (await import('./commands/compare/command.ts')).defineCompare,
  bench: async () => (await import('./commands/bench.ts')).defineBench,
  sign: async () => (await import('./commands/sign/command.ts')).defineSign,
  rules: async () => (await import('./commands/rules.ts')).defineRules,
  report: async () => (await import('./commands/report/command.ts')).defineReport,
  selfcheck: async () => (await import('./commands/selfcheck/command.ts')).defineSelfcheck,
  completion: async () => {
    const { defineCompletion } = await import('./commands/completion/command.ts');
    return (program, io) => defineCompletion(program, io, () => buildProgram(undefined, io));
  },
};

async function buildProgram(asked: string | undefined, io: Io): Promise<Command> {
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
    });
  for (const load of commandsFor(asked)) (await load())(program, io);
  program.addHelpText(
    'after',
    '\nExit codes: 0 passed, 1 failed, 2 wrong usage or configuration, 3 inconclusive,\n130 interrupted.\n\nExample:\n  $ fareproof demo',
  );
  return program;
}

/** The command that is asked for; all of them for the help and for suggestions. */
function commandsFor(asked: string | undefined): readonly (() => Promise<Define>)[] {
  if (asked === '--version' || asked === '-V') return [];
  const one = Object.hasOwn(COMMANDS, asked ?? '') ? COMMANDS[asked ?? ''] : undefined;
  return one === undefined ? Object.values(COMMANDS) : [one];
}

/** A message for the user, with a stack only for internal errors. */
async function reportError(io: Io, error: unknown): Promise<number> {
  if (error instanceof FareproofError) {
    // A message may quote a file, a target or a client.
    const { escapeTerminal } = await import('../report/index.ts');
    note(io, `error ${error.code}: ${escapeTerminal(error.message)}`);
    return error instanceof ConfigurationError ? EXIT.usage : EXIT.inconclusive;
  }
  const { describeSystemError } = await import('./files/system-error.ts');
  const system = describeSystemError(error);
  if (system !== null) {
    const { code, cause, remedy, path } = system;
    note(io, `error ${code}: ${path === null ? '' : `${path}: `}${cause}. ${remedy}`);
    return EXIT.inconclusive;
  }
  const { code: errorCode, message = '' } = error as Partial<NodeJS.ErrnoException>;
  if (errorCode === 'ERR_MODULE_NOT_FOUND') {
    const [what] = message.split('\n');
    const why = 'Raise ulimit -n if it is low, or install fareproof again.';
    note(io, `error NOT_LOADED: a file of fareproof could not be loaded: ${what}. ${why}`);
    return EXIT.inconclusive;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  note(io, `error INTERNAL: this is a bug in fareproof, please report it\n${detail}`);
  return EXIT.inconclusive;
}
