import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../../src/interface/index.ts';
import { runCaptured } from '../../../support/captured-io.ts';

const LIMIT = { timeout: 20_000 };

const scriptOf = async (shell: string): Promise<string> => {
  const { exitCode, stdout } = await runCaptured(['completion', shell]);
  expect(exitCode).toBe(0);
  return stdout;
};

/** Words that bash offers for the last of these. */
async function offered(...words: readonly string[]): Promise<string[]> {
  const asked = `
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_fareproof
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = (await scriptOf('bash')) + asked;
  const output = execFileSync('bash', ['--norc'], { input: script, encoding: 'utf8' });
  return output.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  it('completes commands', LIMIT, async () => {
    expect(await offered('fareproof', 'ce')).toEqual(['certify']);
    expect(await offered('fareproof', '')).toContain('check');
  });

  it('completes the flags of a command, and of no other', LIMIT, async () => {
    expect(await offered('fareproof', 'check', '--allow')).toEqual(['--allow-ban']);
    expect(await offered('fareproof', 'sign', '--allow')).toEqual([]);
  });

  it('completes rules and suites', LIMIT, async () => {
    const ids = RULES.filter(({ side }) => side === 'service').map(({ id }) => id);
    expect((await offered('fareproof', 'check', '--rule', '')).sort()).toEqual(ids.sort());
    expect(await offered('fareproof', 'check', '--suite', 'no')).toEqual(['no-token-spend']);
    expect(await offered('fareproof', 'load', '--suite', 'st')).toEqual(['steady']);
  });

  it('leaves files to the shell', LIMIT, async () => {
    expect(await offered('fareproof', 'check', '--target', '')).toEqual([]);
  });
});

describe.each(['zsh', 'fish'])('%s', (shell) => {
  const isInstalled = spawnSync(shell, ['-c', 'exit']).error === undefined;

  it.runIf(isInstalled)('takes the script', LIMIT, async () => {
    const { status, stderr } = spawnSync(shell, ['-n'], { input: await scriptOf(shell) });
    expect(String(stderr)).toBe('');
    expect(status).toBe(0);
  });
});

it('refuses another shell', async () => {
  expect((await runCaptured(['completion', 'tcsh'])).exitCode).toBe(2);
});
