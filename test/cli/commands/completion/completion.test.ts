import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../../src/interface/index.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** A shell, and how it is asked what it offers for the last of some words. */
interface Asked {
  readonly name: string;
  /** Arguments before the file of the script. */
  readonly args: readonly string[];
  /** Lines that ask it, behind the script. */
  readonly ask: (words: readonly string[]) => string;
  /** Its offer where files are wanted; bash looks for them if it is offered nothing. */
  readonly offersFiles: readonly string[];
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

const BASH: Asked = {
  name: 'bash',
  args: ['--norc'],
  ask: (words) => `
COMP_WORDS=(${quoted(words)})
COMP_CWORD=${words.length - 1}
_fareproof
printf '%s\\n' "\${COMPREPLY[@]}"`,
  offersFiles: [],
};

/** Zsh itself selects from what is added by the beginning of the word. */
const ZSH: Asked = {
  name: 'zsh',
  args: ['-f'],
  ask: (words) => `
compadd() { shift; for one in "$@"; do [[ $one == '${words.at(-1)}'* ]] && print -r -- "$one"; done; true }
_files() { print files; }
words=(${quoted(words)})
CURRENT=${words.length}
_fareproof`,
  offersFiles: ['files'],
};

const FISH: Asked = {
  name: 'fish',
  args: ['--no-config'],
  ask: (words) => `\nset -l found (complete -C '${words.join(' ')}')
for one in $found; string split -f1 \\t -- $one; end
true`,
  offersFiles: ['fish'],
};

const isRequired = process.env['FAREPROOF_REQUIRE_SHELLS'] === '1';

const isInstalled = ({ name }: Asked): boolean =>
  spawnSync(name, ['-c', 'exit']).error === undefined;

/** The shells; in CI each is needed, elsewhere the tests of those that are not installed are skipped. */
const SHELLS = [BASH, ZSH, FISH].map((shell) => ({
  ...shell,
  isLeftOut: !isRequired && !isInstalled(shell),
}));

describe.each(SHELLS)('$name', ({ name, args, ask, offersFiles, isLeftOut }) => {
  /** Words that the shell offers for the last of these. */
  async function offered(...words: readonly string[]): Promise<string[]> {
    const { exitCode, stdout } = await runCaptured(['completion', name]);
    expect(exitCode).toBe(0);
    const folder = temporaryFolder();
    const file = join(folder, name);
    // In the shell itself, completions are loaded before a script is.
    const before = name === 'zsh' ? 'compdef() { }\n' : '';
    writeFileSync(file, before + stdout + ask(words));
    const { status, stdout: found, stderr } = spawnSync(name, [...args, file], { cwd: folder });
    expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' });
    return String(found)
      .split('\n')
      .filter((line) => line !== '');
  }

  it.skipIf(isLeftOut)('completes commands', async () => {
    expect(await offered('fareproof', 'ce')).toEqual(['certify']);
    expect(await offered('fareproof', '')).toContain('check');
  });

  it.skipIf(isLeftOut)('completes the flags of a command, and of no other', async () => {
    expect(await offered('fareproof', 'check', '--allow')).toEqual(['--allow-ban']);
    expect(await offered('fareproof', 'sign', '--allow')).toEqual([]);
  });

  it.skipIf(isLeftOut)('completes the words that a command takes', async () => {
    expect(await offered('fareproof', 'completion', 'z')).toEqual(['zsh']);
  });

  it.skipIf(isLeftOut)('completes rules and suites', async () => {
    const ids = RULES.filter(({ side }) => side === 'service').map(({ id }) => id);
    expect((await offered('fareproof', 'check', '--rule', '')).sort()).toEqual(ids.sort());
    expect(await offered('fareproof', 'check', '--suite', 'no')).toEqual(['no-token-spend']);
    expect(await offered('fareproof', 'load', '--suite', 'st')).toEqual(['steady']);
  });

  it.skipIf(isLeftOut)('leaves files to the shell', async () => {
    expect(await offered('fareproof', 'check', '--target', '')).toEqual(offersFiles);
  });
});

it('refuses another shell', async () => {
  expect((await runCaptured(['completion', 'tcsh'])).exitCode).toBe(2);
});
