import { fstatSync, writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { describeSystemError } from '../app/files/system-error.ts';
import { TOOL } from '../app/tool.ts';
import type { ProcessIo } from './io.ts';
import { EXIT, worseExitCode } from './output/exit-codes.ts';

/** Runs the command line of this process; called only by the launcher in bin/. */
export async function launch(): Promise<void> {
  const [stdout, stderr] = [outputTo(process.stdout), outputTo(process.stderr)];
  // Losing the reader of an output (`fareproof … | head`) changes neither the run nor its exit code.
  for (const stream of [process.stdout, process.stderr, stderr])
    stream.on('error', () => undefined);
  // A file lacks a part of the result then.
  if (stdout !== process.stdout) stdout.once('error', (error) => reportCut(error, stderr));
  const args = process.argv.slice(2);
  // Without the command line parser, whose loading takes longer than the rest.
  if (isVersion(args)) {
    stdout.write(`${TOOL.version}\n`);
    return;
  }
  const { runCommandLine } = await import('./main.ts');
  const run = { interruption: new AbortController(), isDone: false };
  process.exitCode = await runCommandLine(args, processIo(stdout, stderr, run));
  run.isDone = true;
  const end = (): NodeJS.Timeout => setTimeout(() => process.exit(), LINGER_MS);
  // The signal may have come when all was judged, and nobody reads the result.
  if (run.interruption.signal.aborted) end();
  await Promise.all([written(stdout), written(stderr)]);
  // Whatever is still open, such as a connection of a module of custom rules, keeps no command running.
  end().unref();
}

interface Run {
  readonly interruption: AbortController;
  /** Only its output is left to write. */
  isDone: boolean;
}

/** Signals that interrupt a command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Time to end by itself for a process whose command is done. */
const LINGER_MS = 250;

/** Waits until a stream has written all, or cannot. */
function written(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

function isVersion([first = '', ...others]: readonly string[]): boolean {
  return ['--version', '-V'].includes(first) && others.length === 0;
}

/**
 * Stream for an output of this process. Of a file or a device, as Node's own stream cuts a text short without
 * an error when the disk becomes full.
 */
function outputTo(stream: NodeJS.WriteStream & { readonly fd: number }): Writable {
  const to = fstatSync(stream.fd);
  if (stream.isTTY || to.isFIFO() || to.isSocket()) return stream;
  return new Writable({
    write: (text: Buffer, _encoding, done) => {
      try {
        writeFileSync(stream.fd, text);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

/** Says that stdout lacks a part of the result; exit code 0 becomes 3. */
function reportCut(error: Error, stderr: Writable): void {
  const { code = 'SYSTEM_ERROR', cause = error.message } = describeSystemError(error) ?? {};
  stderr.write(`error ${code}: stdout: ${cause}. A part of the result was not printed.\n`);
  process.once('exit', (exitCode) => {
    process.exitCode = worseExitCode(exitCode, EXIT.inconclusive);
  });
}

function processIo(stdout: Writable, stderr: Writable, run: Run): ProcessIo {
  const colorless = process.env['NO_COLOR'] !== undefined && process.env['NO_COLOR'] !== '';
  return {
    stdin: process.stdin,
    stdout,
    stderr,
    env: process.env,
    cwd: process.cwd(),
    color: process.stdout.isTTY && !colorless,
    interactive: process.stderr.isTTY && process.env['TERM'] !== 'dumb',
    interruption: () => listenForInterruption(run),
  };
}

function listenForInterruption(run: Run): AbortSignal {
  const { interruption } = run;
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (run.isDone || interruption.signal.aborted) process.exit(EXIT.interrupted);
      interruption.abort(name);
    });
  }
  return interruption.signal;
}
