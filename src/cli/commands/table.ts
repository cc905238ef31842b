import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import type { Io } from '../io.ts';

/** Adds flags, arguments and action to a command. */
export type Define = (command: Command, io: Io, commandLine: CommandLine) => void;

/** Command, as the help lists it. */
export interface CommandEntry {
  readonly name: string;
  /** Options and arguments behind the name, in the notation of commander. */
  readonly usage: string;
  readonly summary: string;
  /** Loads the module that defines the command. */
  load(): Promise<Define>;
}

/**
 * The commands, in the order of the help. Each is loaded only when it is used, so that one slows down
 * neither another nor the help.
 */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'demo',
    usage: '[options]',
    summary: 'run the whole product on the embedded server, in under a minute',
    load: async () => (await import('./demo.ts')).defineDemo,
  },
  {
    name: 'init',
    usage: '[options]',
    summary: 'write a commented target profile and a suite to start from',
    load: async () => (await import('./init/command.ts')).defineInit,
  },
  {
    name: 'serve',
    usage: '[options]',
    summary: 'run the reference server',
    load: async () => (await import('./serve/command.ts')).defineServe,
  },
  {
    name: 'check',
    usage: '[options]',
    summary: 'judge a service by every documented rule',
    load: async () => (await import('./check/command.ts')).defineCheck,
  },
  {
    name: 'replay',
    usage: '[options] <run> [exchange]',
    summary: 'send one exchange of a check again, with a fresh signature and timestamp',
    load: async () => (await import('./replay/command.ts')).defineReplay,
  },
  {
    name: 'certify',
    usage: '[options] [command...]',
    summary: "judge a partner's client by the requests that it sends",
    load: async () => (await import('./certify/command.ts')).defineCertify,
  },
  {
    name: 'load',
    usage: '[options]',
    summary: 'put load on a target, and measure its response time in microseconds',
    load: async () => (await import('./load/command.ts')).defineLoad,
  },
  {
    name: 'agent',
    usage: '[options]',
    summary: 'join the agents of a load: fareproof load --via URL',
    load: async () => (await import('./agent/command.ts')).defineAgent,
  },
  {
    name: 'compare',
    usage: '[options] [run...]',
    summary:
      'compare two checks, certifications, benchmarks or sets of load runs: better, worse, equivalent or inconclusive',
    load: async () => (await import('./compare/command.ts')).defineCompare,
  },
  {
    name: 'bench',
    usage: '[options]',
    summary: "measure the time of each step of the reference server's fast path",
    load: async () => (await import('./bench.ts')).defineBench,
  },
  {
    name: 'sign',
    usage: '[options]',
    summary: 'sign key-value pairs, given as JSON on stdin, with the key in FAREPROOF_SIGNING_KEY',
    load: async () => (await import('./sign/command.ts')).defineSign,
  },
  {
    name: 'rules',
    usage: '[options]',
    summary: 'print the rules and the gaps of the interface',
    load: async () => (await import('./rules.ts')).defineRules,
  },
  {
    name: 'report',
    usage: '[options] <file...>',
    summary: 'render run documents again, several as one page',
    load: async () => (await import('./report/command.ts')).defineReport,
  },
  {
    name: 'selfcheck',
    usage: '[options]',
    summary: 'prove the checker: break each rule in turn; that rule must fail, and no other',
    load: async () => (await import('./selfcheck/command.ts')).defineSelfcheck,
  },
  {
    name: 'completion',
    usage: '<shell>',
    summary: 'print a script that completes commands, flags, rules and suites in a shell',
    load: async () => (await import('./completion/command.ts')).defineCompletion,
  },
];
