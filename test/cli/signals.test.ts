import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';

const LAUNCHER = fileURLToPath(new URL('../../bin/fareproof.js', import.meta.url));

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts a server, and waits until it listens. */
async function serve(): Promise<ChildProcess> {
  const args = [LAUNCHER, 'serve', '--port', '0'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk;
    if (text.includes('Listening on http:')) return child;
  }
  throw new Error(`it did not listen: ${text}`);
}

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends a command in order', async (signal) => {
  const child = await serve();
  child.kill(signal);
  const [code, killedBy] = await once(child, 'exit');
  expect([typeof code, killedBy]).toEqual(['number', null]);
});
