import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { storedFlags } from '../../../../src/cli/commands/check/flags.ts';
import type { ConformanceDocument } from '../../../../src/documents/conformance.ts';
import { describeProfile, startServer } from '../../../../src/server/index.ts';
import { capturedIo, runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

it('a run can be resumed from another folder: paths are stored whole, an address as it is', () => {
  const { io } = capturedIo({ cwd: '/here' });
  const flags = {
    suite: 'full',
    rule: ['token/*'],
    timeout: '10s',
    onlyFailed: true as const,
  };
  const stored = (target: string) => storedFlags({ ...flags, target }, io);
  expect(stored('a.yaml')).toEqual({
    suite: 'full',
    rule: ['token/*'],
    timeout: '10s',
    target: '/here/a.yaml',
  });
  expect(stored('https://a.test')).toMatchObject({ target: 'https://a.test' });
});

it('a run is resumed with the flags that it began with', async () => {
  const cwd = temporaryFolder();
  const server = await startServer({ controlPort: 0 });
  onTestFinished(() => server.close(0));
  writeFileSync(join(cwd, 'target.yaml'), JSON.stringify(describeProfile(server)));
  const document = (): ConformanceDocument =>
    JSON.parse(readFileSync(join(cwd, 'run', 'run.json'), 'utf8')) as ConformanceDocument;
  const flags = ['--target', 'target.yaml', '--rule', 'record/pay-type', '--seed', '7'];
  const interruption = AbortSignal.abort();
  const first = await runCaptured(['check', ...flags, '--out', 'run'], { cwd, interruption });
  expect(first.exitCode).toBe(130);
  expect(document()).toMatchObject({ interrupted: true, seed: 7 });
  expect(document().rules.find(({ id }) => id === 'record/pay-type')?.repeat).toBe(
    'fareproof check --resume run',
  );
  const second = await runCaptured(['check', '--resume', 'run'], { cwd });
  expect(second).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('error') });
  const { seed, rules, interrupted } = document();
  expect({ seed, interrupted }).toEqual({ seed: 7, interrupted: undefined });
  const judged = rules.filter(({ verdict }) => verdict !== 'excluded');
  expect(judged.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(['record/pay-type pass']);
});
