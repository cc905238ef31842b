import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/main.ts';
import { capturedIo } from '../support/captured-io.ts';

/** Runs a command whose result the machine does not take. */
async function refusedBy(error: object): Promise<{ exitCode: number; stderr: string }> {
  const { io, captured } = capturedIo({});
  const stdout = Object.assign(io.stdout, {
    write: (): never => {
      throw Object.assign(new Error('failed'), { syscall: 'write', ...error });
    },
  });
  const exitCode = await runCommandLine(['rules'], { ...io, stdout });
  return { exitCode, stderr: captured.stderr };
}

describe('an error of the machine', () => {
  it('names the file that it is about, if it is known', async () => {
    expect(await refusedBy({ code: 'ENOSPC', path: '/reports/run.json' })).toEqual({
      exitCode: 3,
      stderr:
        'error DISK_FULL: /reports/run.json: no space is left on the disk (ENOSPC). Free some.\n',
    });
  });

  it('names none otherwise', async () => {
    expect(await refusedBy({ code: 'ENOSPC' })).toEqual({
      exitCode: 3,
      stderr: 'error DISK_FULL: no space is left on the disk (ENOSPC). Free some.\n',
    });
  });
});
