import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseDocument } from '../../../src/documents/run-document.ts';
import { runCaptured } from '../../support/captured-io.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const QUICK = ['bench', '--duration', '1ms', '--out', 'out'];

describe('fareproof bench', () => {
  it('with --json prints only the document, with a share for each step', {
    tags: ['long'],
  }, async () => {
    const { exitCode, stdout, stderr } = await runCaptured([...QUICK, '--json'], { cwd });
    expect(exitCode).toBe(0);
    const document = parseDocument(JSON.parse(stdout));
    expect(document).toMatchObject({
      kind: 'bench',
      tool: { name: 'fareproof' },
      machine: { node: process.version },
    });
    const steps = document.kind === 'bench' ? document.steps : [];
    expect(steps.map(({ name }) => name)).toContain('estimate id');
    for (const { nsMedian } of steps) expect(nsMedian).toBeGreaterThan(0);
    expect(steps.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
    expect(stderr).toContain('estimate id: ');
    expect(readFileSync(join(cwd, 'out/run.json'), 'utf8').trimEnd()).toBe(stdout.trimEnd());
  });

  it('ends with 130 when interrupted, and with 2 on a wrong duration', async () => {
    const interrupted = await runCaptured(QUICK, { cwd, interruption: AbortSignal.abort() });
    expect(interrupted.exitCode).toBe(130);
    const wrong = await runCaptured(['bench', '--duration', 'long'], { cwd });
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain('--duration');
  });
});
