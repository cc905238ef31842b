import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ConformanceDocument } from '../../../../src/documents/conformance.ts';
import { type FaultId, startServer } from '../../../../src/server/index.ts';
import { clientSample } from '../../../report/samples/conformance-sample.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const RULES = [
  'record/pay-type',
  'record/currency-code',
  'token/nostr-length',
  'token/response-status',
];

/** Checks a few rules of a server with some of them broken. */
async function check(faults: readonly FaultId[], ...args: string[]) {
  const server = await startServer({ controlPort: 0, faults });
  try {
    const control = { url: server.controlUrl, token: server.controlToken };
    const estimates = { plain: { product_type: 'private-car', ride_type: 'compact' } };
    const profile = { name: 'mine', baseUrl: server.baseUrl, control, estimates };
    writeFileSync(join(cwd, 'profile.yaml'), JSON.stringify(profile));
    const rules = RULES.flatMap((rule) => ['--rule', rule]);
    return await runCaptured(['check', '--target', 'profile.yaml', ...rules, ...args], { cwd });
  } finally {
    await server.close(0);
  }
}

const result = (out: string): ConformanceDocument =>
  JSON.parse(readFileSync(join(cwd, out, 'run.json'), 'utf8')) as ConformanceDocument;

describe('check --against', () => {
  it('shows round by round what was fixed, and gates on what is newly broken', async () => {
    const first = await check(['record/pay-type', 'token/nostr-length'], '--out', 'one');
    expect(first.exitCode).toBe(1);

    const second = await check(['token/nostr-length'], '--out', 'two', '--against', 'one');
    expect(second.stdout).toMatch(/^Since one \(.* UTC\): fixed 1, still broken 1\.$/m);
    expect(second.exitCode).toBe(1);
    expect(result('two').against).toMatchObject({
      run: 'one',
      startedAt: result('one').startedAt,
      failsOnNew: false,
      fixed: [{ rule: 'record/pay-type', before: 'fail', after: 'pass' }],
      stillBroken: [{ rule: 'token/nostr-length' }],
      newlyBroken: [],
      noLongerJudged: [],
    });

    const gate = ['--against', 'two/run.json', '--fail-on', 'new'];
    const third = await check(['token/nostr-length'], '--out', 'three', ...gate);
    expect(third.stdout).toContain(
      'Exit 0: no rule is newly broken, 1 still broken (--fail-on new)',
    );
    expect(third.exitCode).toBe(0);
    expect(result('three').verdict).toBe('not-conformant');

    const broken: FaultId[] = ['token/nostr-length', 'token/response-status'];
    const fourth = await check(broken, '--out', 'four', ...gate);
    expect(fourth.stdout).toContain('Exit 1: 1 rule newly broken');
    expect(fourth.exitCode).toBe(1);
  });

  it.each([
    ['a folder without a run', 'nothing', 'FILE_NOT_READ'],
    ['a certification', 'client.json', 'RUN_NOT_A_CHECK'],
  ])('of %s is wrong usage, and sends nothing', async (_, run, code) => {
    writeFileSync(join(cwd, 'client.json'), JSON.stringify(clientSample()));
    const { exitCode, stderr } = await check([], '--against', run);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`error ${code}`);
  });

  it.each([
    [['--fail-on', 'new'], '--fail-on new needs an earlier run'],
    [['--against', 'one', '--fail-on', 'all'], 'Allowed choices are new'],
  ])('%j is wrong usage', async (args, message) => {
    const { exitCode, stderr } = await check([], ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
