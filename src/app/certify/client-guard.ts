import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Script of a process that outlives this one: it is told of each client by a line, and kills those that still
 * run when its input ends. A signal to the terminal is for others.
 */
const SCRIPT = `
const running = new Set();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined);
require('node:readline')
  .createInterface({ input: process.stdin })
  .on('line', (line) => running[line[0] === '+' ? 'add' : 'delete'](Number(line.slice(1))))
  .on('close', () => {
    for (const target of running) {
      try {
        process.kill(target, 'SIGKILL');
      } catch {}
    }
  });
`;

/** Ends clients whose command was killed itself, so that it could not end them. */
export class ClientGuard {
  #process: ChildProcess | null = null;
  readonly #running = new Set<number>();

  /** @param target id of a process, or that of a group, negative */
  watch(target: number): void {
    this.#process ??= start();
    this.#running.add(target);
    this.#process.stdin?.write(`+${target}\n`);
  }

  /** Forgets a client that has ended; without any the guard ends. */
  release(target: number): void {
    this.#running.delete(target);
    this.#process?.stdin?.write(`-${target}\n`);
    if (this.#running.size > 0) return;
    this.#process?.stdin?.end();
    this.#process = null;
  }
}

function start(): ChildProcess {
  const child = spawn(process.execPath, ['-e', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // What kills the group of this process leaves it alone.
    detached: true,
  });
  // Clients run without a guard as well.
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.unref();
  return child;
}
