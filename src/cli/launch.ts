import type { Io } from './io.ts';
import { EXIT } from './output/exit-codes.ts';
import { TOOL } from './tool.ts';

/** Runs the command line of this process; called only by the launcher in bin/. */
export async function launch(): Promise<void> {
  process.stdout.on('error', endQuietlyOnClosedPipe);
  process.stderr.on('error', endQuietlyOnClosedPipe);
  const args = process.argv.slice(2);
  // Without the command line parser, whose loading takes longer than the rest.
  if (isVersion(args)) {
    process.stdout.write(`${TOOL.version}\n`);
    return;
  }
  const { runCommandLine } = await import('./main.ts');
  process.exitCode = await runCommandLine(args, processIo());
}

function isVersion([first = '', ...others]: readonly string[]): boolean {
  return ['--version', '-V'].includes(first) && others.length === 0;
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
