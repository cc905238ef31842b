import { Argument, type Command } from 'commander';
import { type Io, print } from '../../io.ts';
import type { Shell } from './scripts.ts';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];

/**
 * Defines `fareproof completion`: prints a script with which a shell completes commands, flags, rules and
 * suites.
 *
 * @param loadAll returns the program with all of its commands
 */
export function defineCompletion(program: Command, io: Io, loadAll: () => Promise<Command>): void {
  program
    .command('completion')
    .description('print a script that completes commands, flags, rules and suites in a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(fareproof completion bash)     in ~/.bashrc
  $ source <(fareproof completion zsh)      in ~/.zshrc, after compinit
  $ fareproof completion fish > ~/.config/fish/completions/fareproof.fish`,
    )
    .action(async (shell: Shell) => {
      const { readWords } = await import('./words.ts');
      const { completionScript } = await import('./scripts.ts');
      print(io, completionScript(shell, readWords(await loadAll())));
    });
}
