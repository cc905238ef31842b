import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { ClientEnd, RunClient } from '../../conformance/index.ts';
import { ConfigurationError } from '../../interface/errors.ts';
import type { StreamPiece } from '../../redaction/index.ts';
import type { Surroundings } from '../surroundings.ts';
import { ClientGuard } from './client-guard.ts';

const STREAMS = ['stdout', 'stderr'] as const;
/** Output of a client that is kept. */
const MAX_OUTPUT_BYTES = 256 * 1024;
/** Time between SIGTERM and SIGKILL. */
const TERMINATION_MS = 500;
/** Windows has no process groups: there, only the command itself is ended. */
const HAS_GROUPS = process.platform !== 'win32';
/** Time for the last output, if a process that outlives the client keeps the pipes open. */
const DRAINING_MS = 100;

/**
 * Runs a client's command in a process group of its own, which is killed when the command ends.
 *
 * @throws ConfigurationError `COMMAND_NOT_STARTED`, from the returned function
 */
export function processRunner(
  command: readonly string[],
  io: Pick<Surroundings, 'cwd' | 'env'>,
): RunClient {
  const [file = '', ...args] = command;
  const guard = new ClientGuard();
  return async (environment, timeLimitMs, signal) => {
    const { FAREPROOF_CONTROL_TOKEN: _ours, ...env } = io.env;
    const child = spawn(file, args, {
      cwd: io.cwd,
      env: { ...env, ...charactersOf(env), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: HAS_GROUPS,
    });
    const output = gather(child);
    const target = targetOf(child);
    if (target !== null) guard.watch(target);
    let ended: ClientEnd['ended'] = 'by-itself';
    const terminate = (why: ClientEnd['ended']): void => {
      ended = why;
      killGroup(child, 'SIGTERM');
      setTimeout(() => killGroup(child, 'SIGKILL'), TERMINATION_MS).unref();
    };
    const limit = setTimeout(() => terminate('time-limit'), timeLimitMs);
    const interrupt = (): void => terminate('interrupted');
    signal?.addEventListener('abort', interrupt, { once: true });
    try {
      const exitCode = await exitOf(child, file);
      // Processes that the client started may keep its output open.
      killGroup(child, 'SIGKILL');
      return { exitCode, ended, output: output() };
    } finally {
      clearTimeout(limit);
      signal?.removeEventListener('abort', interrupt);
      if (target !== null) guard.release(target);
    }
  };
}

/** Variables by which a client reads its texts as UTF-8; Java and others go by the locale, which jobs often lack. */
function charactersOf({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): Record<string, string> {
  const isUtf8 = /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
  return isUtf8 ? {} : { LC_ALL: '', LC_CTYPE: 'C.UTF-8' };
}

async function exitOf(child: ChildProcess, file: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const remedy = file.includes(' ')
        ? 'give the program and its arguments after -- without quotes around them all'
        : 'check the command after --';
      reject(
        new ConfigurationError(
          'COMMAND_NOT_STARTED',
          `The command "${file}" cannot be started (${error.code ?? error.message}); ${remedy}.`,
          { cause: error },
        ),
      );
    });
    child.once('exit', (exitCode) => {
      // `close` follows the last output, unless a child of the client keeps the pipes open: then they
      // are read once more and destroyed, or they would keep this process running.
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

/** Gathers what a client writes; each stream has its own decoder, or the other could split a character. */
function gather(child: ChildProcess): () => StreamPiece[] {
  const pieces: StreamPiece[] = [];
  const decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() };
  let byteCount = 0;
  let isCut = false;
  for (const stream of STREAMS) {
    child[stream]?.on('data', (chunk: Buffer) => {
      isCut ||= byteCount >= MAX_OUTPUT_BYTES;
      if (!isCut) pieces.push({ stream, text: decoders[stream].write(chunk) });
      byteCount += chunk.length;
    });
  }
  return () => {
    const ends = STREAMS.map((stream) => ({ stream, text: decoders[stream].end() }));
    const omitted = isCut ? [{ stream: 'note', text: '\n[the rest is omitted]\n' }] : [];
    return [...pieces, ...ends, ...omitted];
  };
}

/** Id by which a client is signalled: that of its group, negative, or its own; null if it did not start. */
function targetOf({ pid }: ChildProcess): number | null {
  if (pid === undefined) return null;
  return HAS_GROUPS ? -pid : pid;
}

/** Signals a process group; one that has already ended is not an error. */
function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  const target = targetOf(child);
  if (target === null) return;
  try {
    process.kill(target, signal);
  } catch {
    // It has ended.
  }
}
