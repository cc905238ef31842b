import type { Command, Option } from 'commander';
import { suiteNames } from '../../../app/files/suites.ts';
import { CLIENT_RULES, SERVICE_RULES } from '../../../interface/catalogue.ts';
import { quoted } from '../../output/repeat.ts';

/** Shell that a script is for. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** Renders the script that completes these commands in a shell. */
export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  const line = '# Completes the commands, flags, rules and suites of fareproof.';
  if (shell === 'fish') return [line, ...commands.flatMap(fishLines)].join('\n');
  const list = shell === 'bash' ? bashScript(commands) : zshScript(commands);
  return [...(shell === 'zsh' ? ['#compdef fareproof'] : []), line, ...list].join('\n');
}

/** Branches of `case "$command $previous"`, then of `case "$command"`: the words that may follow. */
function branches(commands: readonly CommandWords[]): { flags: string[]; own: string[] } {
  const flags = commands.flatMap(({ name, flags: all }) =>
    all
      .filter(({ takesValue }) => takesValue)
      .map((flag) => `    '${name} ${flag.name}') words=${quoted(flag.values.join(' '))} ;;`),
  );
  const own = commands.map(({ name, flags: all, values }) => {
    const words = [...values, ...all.map((flag) => flag.name), '--help'];
    return `      ${name}) words=${quoted(words.join(' '))} ;;`;
  });
  return { flags, own };
}

function choice(commands: readonly CommandWords[]): string[] {
  const { flags, own } = branches(commands);
  const names = [...commands.map(({ name }) => name), '--help', '--version'];
  return [
    '  case "$command $previous" in',
    `    'fareproof '*) words=${quoted(names.join(' '))} ;;`,
    ...flags,
    '    *) case "$command" in',
    ...own,
    '    esac ;;',
    '  esac',
  ];
}

function bashScript(commands: readonly CommandWords[]): string[] {
  return [
    '_fareproof() {',
    '  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=',
    '  local command=${COMP_WORDS[1]}',
    '  [ "$COMP_CWORD" -gt 1 ] || command=fareproof',
    ...choice(commands),
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    // Without a word of ours, the shell completes files.
    'complete -o default -F _fareproof fareproof',
  ];
}

function zshScript(commands: readonly CommandWords[]): string[] {
  return [
    '_fareproof() {',
    '  local command=$words[2] previous=$words[CURRENT-1] found',
    '  (( CURRENT > 2 )) || command=fareproof',
    ...choice(commands).map((one) => one.replaceAll('words=', 'found=')),
    '  if [[ -n $found ]]; then compadd -- ${=found}; else _files; fi',
    '}',
    'compdef _fareproof fareproof',
  ];
}

function fishLines({ name, description, flags, values }: CommandWords): string[] {
  const within = `complete -c fareproof -n '__fish_seen_subcommand_from ${name}'`;
  return [
    `complete -c fareproof -n __fish_use_subcommand -f -a ${name} -d ${quoted(description)}`,
    ...(values.length > 0 ? [`${within} -f -a ${quoted(values.join(' '))}`] : []),
    ...flags.map((flag) => {
      const choices = flag.values.length > 0 ? ` -f -a ${quoted(flag.values.join(' '))}` : '';
      const value = flag.takesValue ? ` -r${choices}` : '';
      return `${within} -l ${flag.name.slice(2)}${value} -d ${quoted(flag.description)}`;
    }),
  ];
}

/** Flag of a command, as a shell completes it. */
interface FlagWords {
  /** Long form, such as `--rule`. */
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** Values to choose from; none if any file or text may follow. */
  readonly values: readonly string[];
}

/** Command, as a shell completes it. */
interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly FlagWords[];
  /** Choices of its argument. */
  readonly values: readonly string[];
}

/** Reads what can be completed from the definitions of all commands. */
export function readWords(program: Command): readonly CommandWords[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: command.options
      .filter(({ long }) => long !== undefined)
      .map((option) => ({
        name: option.long ?? '',
        description: option.description,
        takesValue: option.required || option.optional,
        values: valuesOf(command.name(), option),
      })),
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }));
}

function valuesOf(command: string, { long, argChoices }: Option): readonly string[] {
  if (argChoices) return argChoices;
  const services = SERVICE_RULES.map(({ id }) => id);
  if (long === '--rule' && command === 'check') return services;
  if (long === '--rule' || long === '--fault')
    return [...services, ...CLIENT_RULES.map(({ id }) => id)];
  if (long === '--suite') return suiteNames(command === 'load' ? 'load' : 'service');
  return long === '--scenario' ? suiteNames('client') : [];
}
