import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readTextFile } from '../../../src/app/files/text.ts';
import { compiledPackage } from '../../support/compiled.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const compiled = compiledPackage();

function pipeIn(folder: string): void {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
}

describe.runIf(process.platform !== 'win32')('a pipe that is given as a file', () => {
  it('is read to its end', async () => {
    const folder = temporaryFolder();
    pipeIn(folder);
    const text = 'line\n'.repeat(50_000);
    writeFileSync(join(folder, 'text'), text);
    const reading = readTextFile('pipe', folder);
    const writer = spawn('sh', ['-c', 'cat text > pipe'], { cwd: folder, stdio: 'ignore' });
    onTestFinished(() => void writer.kill());
    expect(await reading).toBe(text);
  });

  it('without a writer keeps no process from ending', async () => {
    const folder = temporaryFolder();
    pipeIn(folder);
    const script = `
      const { readTextFile } = await import(process.argv[1]);
      process.on('SIGTERM', () => process.exit(3));
      readTextFile('pipe', process.argv[2]).catch(() => undefined);
      setTimeout(() => process.stdout.write('reading'), 50);`;
    const args = ['--input-type=module', '-e', script, compiled.path('app/files/text.js'), folder];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([3, null]);
  });
});
