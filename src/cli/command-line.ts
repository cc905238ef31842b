import type { Command } from 'commander';

/** Command line that a command is part of. */
export interface CommandLine {
  /** Runs another command and returns its exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
  /** Returns the program with the flags of all commands. */
  readonly loadAll: () => Promise<Command>;
}
