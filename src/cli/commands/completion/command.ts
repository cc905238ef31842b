import { Argument, type Command } from 'commander';
import type { CommandLine } from '../../command-line.ts';
import { type Io, print } from '../../io.ts';
import type { Shell } from './scripts.ts';

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish'];

/**
 * Defines `fareproof completion`: prints a script with which a shell completes commands, flags, rules and
 * suites.
 */
export function defineCompletion(command: Command, io: Io, { loadAll }: CommandLine): void {
  command
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
      const { completionScript, readWords } = await import('./scripts.ts');
      print(io, completionScript(shell, readWords(await loadAll())));
    });
}
