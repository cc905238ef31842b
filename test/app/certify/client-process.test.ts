import { expect, it } from 'vitest';
import { processRunner } from '../../../src/app/certify/client-process.ts';
import type { ClientEnd } from '../../../src/conformance/index.ts';

const LENGTH = 200_000;

/** Output as one text, in the order in which it came. */
const textOf = ({ output }: ClientEnd): string => output.map(({ text }) => text).join('');

/** Runs a client that is this script, in which `spawn` starts a process. */
function runScript(script: string, env: NodeJS.ProcessEnv = process.env): Promise<ClientEnd> {
  const command = [
    process.execPath,
    '-e',
    `const { spawn } = require('node:child_process');${script}`,
  ];
  const run = processRunner(command, { cwd: process.cwd(), env });
  return run({} as never, 60_000, null);
}

const openPipes = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;

it('destroys the pipes that a daemon of a client keeps open, and keeps the output', {
  timeout: 120_000,
}, async () => {
  const before = openPipes();
  const end = await runScript(`
const daemon = spawn('sleep', ['600'], { detached: true, stdio: 'inherit' });
daemon.unref();
console.log(daemon.pid);
process.stdout.write('o'.repeat(${LENGTH}));
process.stderr.write('last words');`);
  const { exitCode, ended } = end;
  const output = textOf(end);
  const pid = Number(/^\d+/.exec(output)?.[0]);
  try {
    expect([exitCode, ended]).toEqual([0, 'by-itself']);
    expect(output.match(/o/g)).toHaveLength(LENGTH + 1);
    expect(output).toContain('last words');
    expect(() => process.kill(pid, 0)).not.toThrow();
    await expect.poll(openPipes).toBe(before);
  } finally {
    process.kill(pid);
  }
});

it('keeps all output of a client', async () => {
  const end = await runScript(
    `process.stdout.write('o'.repeat(${LENGTH}), () => process.exit(5));`,
  );
  expect([end.exitCode, textOf(end).length]).toEqual([5, LENGTH]);
});

it('keeps each stream whole, whatever the other writes between its bytes', {
  timeout: 120_000,
}, async () => {
  const { output } = await runScript(`
const { writeSync } = require('node:fs');
const bytes = Buffer.from('夜'.repeat(500));
for (const byte of bytes) {
  writeSync(1, Buffer.of(byte));
  writeSync(2, '.');
}
writeSync(1, bytes.subarray(0, 2));`);
  const written = (name: string): string =>
    output.map(({ stream, text }) => (stream === name ? text : '')).join('');
  expect(written('stdout')).toBe(`${'夜'.repeat(500)}\uFFFD`);
  expect(written('stderr')).toBe('.'.repeat(1500));
});

it('says what it omits, and only then', async () => {
  const last = async (length: number): Promise<string> =>
    textOf(await runScript(`process.stdout.write('o'.repeat(${length}))`)).slice(-23);
  expect(await last(256 * 1024)).not.toContain('omitted');
  expect(await last(1024 * 1024)).toBe('\n[the rest is omitted]\n');
});

it.each([
  [{}, 'LC_ALL=, LC_CTYPE=C.UTF-8'],
  [{ LC_ALL: 'C', LANG: 'de_DE.UTF-8' }, 'LC_ALL=, LC_CTYPE=C.UTF-8'],
  [{ LANG: 'de_DE.utf8' }, 'LC_ALL=undefined, LC_CTYPE=undefined'],
  [{ LC_CTYPE: 'en_US.UTF-8', LANG: 'C' }, 'LC_ALL=undefined, LC_CTYPE=en_US.UTF-8'],
])('lets a client read its texts as UTF-8, with %o', async (env, shown) => {
  const script = 'console.log(`LC_ALL=${process.env.LC_ALL}, LC_CTYPE=${process.env.LC_CTYPE}`)';
  const end = await runScript(script, { PATH: process.env['PATH'], ...env });
  expect(textOf(end).trim()).toBe(shown);
});
