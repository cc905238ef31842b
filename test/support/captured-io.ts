import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { KnownSecrets } from '../../src/app/known-secrets.ts';
import type { Io } from '../../src/cli/io.ts';
import { runCommandLine } from '../../src/cli/main.ts';
import { movingClock, type RunClock } from '../../src/conformance/index.ts';
import { strictProblems } from './strict-document.ts';

/** Result of a command line. */
export interface Outcome {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Input of a command line. */
interface Given {
  stdin?: string;
  env?: Record<string, string>;
  cwd?: string;
  /** Left out, one of its own, which sleeps move on instead of taking time. */
  clock?: RunClock;
  /** In place of those of the machine. */
  load?: Io['load'];
  interruption?: AbortSignal;
  onStdout?: (text: string) => void;
  onStderr?: (text: string) => void;
}

/**
 * Runs one command line in process and captures both streams.
 *
 * @throws Error if it prints a run document with a field that the document's schema does not know
 */
export async function runCaptured(args: readonly string[], given: Given = {}): Promise<Outcome> {
  const { io, captured } = capturedIo(given);
  const exitCode = await runCommandLine(args, io);
  if (args.includes('--json')) refuseUnknownFields(captured.stdout);
  return { exitCode, ...captured };
}

function refuseUnknownFields(stdout: string): void {
  const problems = strictProblems(parsedOrNull(stdout));
  if (problems.length > 0) throw new Error(`not by its schema: ${problems.join('; ')}`);
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Process access of a command, with both streams captured. */
export function capturedIo(given: Given): {
  io: Io;
  captured: { stdout: string; stderr: string };
} {
  const captured = { stdout: '', stderr: '' };
  const capture = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done): void {
        captured[name] += chunk.toString();
        (name === 'stdout' ? given.onStdout : given.onStderr)?.(chunk.toString());
        done();
      },
    });
  const secrets = new KnownSecrets();
  const stderr = capture('stderr');
  const io: Io = {
    stdin: Readable.from(given.stdin === undefined ? [] : [Buffer.from(given.stdin)]),
    stdout: capture('stdout'),
    stderr,
    // No test reads or writes the ledger of the user.
    env: {
      ...(given.cwd !== undefined && { XDG_STATE_HOME: join(given.cwd, '.state') }),
      ...given.env,
    },
    cwd: given.cwd ?? process.cwd(),
    clock: given.clock ?? movingClock(),
    ...(given.load && { load: given.load }),
    secrets,
    note: (line) => stderr.write(`${secrets.hideIn(line)}\n`),
    color: false,
    interactive: false,
    exit: () => undefined,
    deliver: async (write) => {
      await write();
      return true;
    },
    interruption: () => given.interruption ?? new AbortController().signal,
  };
  return { io, captured };
}
