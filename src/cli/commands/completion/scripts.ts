import { quoted } from '../../output/repeat.ts';
import type { CommandWords } from './words.ts';

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
