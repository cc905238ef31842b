import type { Io } from './io.ts';
import { runCommandLine } from './main.ts';
import { EXIT } from './output/exit-codes.ts';

/** Runs the command line of this process; called only by the launcher in bin/. */
export async function launch(): Promise<void> {
  process.stdout.on('error', endQuietlyOnClosedPipe);
  process.stderr.on('error', endQuietlyOnClosedPipe);
  process.exitCode = await runCommandLine(process.argv.slice(2), processIo());
}

/** `fareproof … | head` closes the pipe, which is not an error. */
function endQuietlyOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}

function processIo(): Omit<Io, 'exit'> {
  const colorless = process.env['NO_COLOR'] !== undefined && process.env['NO_COLOR'] !== '';
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    color: process.stdout.isTTY && !colorless,
    interactive: process.stderr.isTTY && process.env['TERM'] !== 'dumb',
    interruption: listenForInterruption,
  };
}

function listenForInterruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(EXIT.interrupted);
      controller.abort(name);
    });
  }
  return controller.signal;
}
