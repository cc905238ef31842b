import { type ChildProcess, spawn } from 'node:child_process';
import type { ClientEnd, RunClient } from '../../../conformance/index.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { Io } from '../../io.ts';

/** How much of a client's output is kept, in bytes. */
const OUTPUT_LIMIT_BYTES = 256 * 1024;
/** Between asking a client to end and ending it. */
const ENDING_MS = 500;
/** For the last of its output, where a process that outlives it keeps that open. */
const DRAINING_MS = 100;

/**
 * Runs a client's command in a process group of its own, which ends with it.
 *
 * @throws ConfigurationError `COMMAND_NOT_STARTED`, from the function returned
 */
export function processRunner(command: readonly string[], io: Pick<Io, 'cwd' | 'env'>): RunClient {
  const [file = '', ...args] = command;
  return async (environment, timeLimitMs, signal) => {
    const { FAREPROOF_CONTROL_TOKEN: _ours, ...env } = io.env;
    const child = spawn(file, args, {
      cwd: io.cwd,
      env: { ...env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const output = gather(child);
    let ended: ClientEnd['ended'] = 'by-itself';
    const limit = setTimeout(() => endBy('time-limit'), timeLimitMs);
    const interrupt = (): void => endBy('interrupted');
    signal?.addEventListener('abort', interrupt, { once: true });
    const endBy = (why: ClientEnd['ended']): void => {
      ended = why;
      endGroup(child, 'SIGTERM');
      setTimeout(() => endGroup(child, 'SIGKILL'), ENDING_MS).unref();
    };
    try {
      const exitCode = await exitOf(child, file);
      // What it started itself ends with it; some of it may hold the output open.
      endGroup(child, 'SIGKILL');
      return { exitCode, ended, output: output() };
    } finally {
      clearTimeout(limit);
      signal?.removeEventListener('abort', interrupt);
    }
  };
}

async function exitOf(child: ChildProcess, file: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new ConfigurationError(
          'COMMAND_NOT_STARTED',
          `The command "${file}" cannot be started (${error.code ?? error.message}); give one that can, after --.`,
          { cause: error },
        ),
      );
    });
    child.once('exit', (exitCode) => {
      // The last of its output comes with `close`, unless a child of its own keeps it open: then
      // what stands in the pipes is read, and they are let go of, or they would hold this process.
      const draining = setTimeout(() => {
        setImmediate(() => {
          child.stdout?.destroy();
          child.stderr?.destroy();
        });
      }, DRAINING_MS);
      child.once('close', () => {
        clearTimeout(draining);
        resolve(exitCode);
      });
    });
  });
}

function gather(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      if (byteCount < OUTPUT_LIMIT_BYTES) chunks.push(chunk);
      byteCount += chunk.length;
    });
  }
  return () => {
    const text = Buffer.concat(chunks).toString('utf8');
    return byteCount > OUTPUT_LIMIT_BYTES ? `${text}\n[the rest was left out]\n` : text;
  };
}

/** A group that is gone already is no error. */
function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone.
  }
}
