import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { LoadDocument } from '../../../../src/documents/load.ts';
import { runLoad, systemClock } from '../../../../src/load/index.ts';
import { ESTIMATE_BODY, startFakeTarget } from '../../../load/fake-target.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { faultsOf } from '../../../support/judged-generators.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';

const folder = temporaryFolderOfFile();
const TOOL = { name: 'fareproof', version: '0.1.0' };

/** Writes the document of the only part of a load, with a threshold. */
async function writePart(file: string, threshold: string): Promise<void> {
  const target = await startFakeTarget({
    estimate: (_request, response) => response.end(ESTIMATE_BODY),
  });
  onTestFinished(() => target.close());
  const [partner] = target.profile.partners;
  const result = await runLoad({
    ledger: 'none',
    profile: { ...target.profile, partners: [{ ...partner!, accessToken: 'own' }] },
    clock: { ...systemClock(), now: () => 0 },
    seed: 1,
    rate: 100,
    warmup: '0s',
    duration: '100ms',
    placement: 'inline',
    findFaults: faultsOf({ late: false }),
    threshold: [threshold],
    part: { number: 1, of: 1, startAtMs: 1000 },
  });
  writeFileSync(join(folder, file), JSON.stringify({ ...result, tool: TOOL }));
}

it.each([
  ['rate>1', 0, 'held'],
  ['rate>1000000', 1, 'fell-short'],
])('report --merge judges a load by %s, with exit code %i', async (threshold, code, verdict) => {
  await writePart('part.json', threshold);
  const flags = ['--merge', 'part.json', '--format', 'json', '--out', 'whole.json'];
  const { exitCode, stderr } = await runCaptured(['report', ...flags], { cwd: folder });
  const text = readFileSync(join(folder, 'whole.json'), 'utf8');
  const whole = JSON.parse(text) as LoadDocument;
  expect(whole).toMatchObject({ kind: 'load', verdict, exit: { code } });
  expect(whole.thresholds[0]?.expression).toBe(threshold);
  expect(stderr).toContain(`${verdict}: `);
  expect(exitCode).toBe(code);
});

it('report --merge refuses a document that is no part', async () => {
  await writePart('part.json', 'rate>1');
  const text = readFileSync(join(folder, 'part.json'), 'utf8');
  const { part: _part, ...whole } = JSON.parse(text) as LoadDocument;
  writeFileSync(join(folder, 'whole.json'), JSON.stringify(whole));
  const flags = ['report', '--merge', 'part.json', 'whole.json'];
  const { exitCode, stderr } = await runCaptured(flags, { cwd: folder });
  expect(stderr).toContain('error PART_NONE:');
  expect(exitCode).toBe(2);
});
