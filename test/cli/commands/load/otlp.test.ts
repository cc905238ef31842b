import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { EXIT } from '../../../../src/cli/output/exit-codes.ts';
import type { LoadDocument } from '../../../../src/documents/load.ts';
import { ESTIMATE_BODY, type FakeTarget, startFakeTarget } from '../../../load/fake-target.ts';
import { type Outcome, runCaptured } from '../../../support/captured-io.ts';
import { CLOSED_ADDRESS } from '../../../support/closed-address.ts';
import { type Collector, startCollector } from '../../../support/otlp/collector.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let target: FakeTarget | undefined;
let collector: Collector | undefined;
afterEach(async () => {
  await Promise.all([target?.close(), collector?.close()]);
  collector = undefined;
});

/** Runs `load` until a target that refuses every fourth request has answered 20. */
async function load(...flags: readonly string[]): Promise<Outcome> {
  let requests = 0;
  const interrupt = new AbortController();
  target = await startFakeTarget({
    estimate: (_request, response) => {
      response.statusCode = requests++ % 4 === 3 ? 500 : 200;
      response.end(ESTIMATE_BODY);
      if (requests === 20) interrupt.abort();
    },
  });
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'target.yaml'), stringify(target.profile));
  const short = ['--connections', '2', '--duration', '60s', '--warmup', '0'];
  const judged = ['--target', 'target.yaml', '--threshold', 'errors<50%', '--json'];
  const command = ['load', ...short, ...judged, ...flags];
  return runCaptured(command, { cwd, interruption: interrupt.signal });
}

/** Sum of the points of a metric in the last export. */
function total(name: string, outcome?: string): number {
  const metric = collector!.exports.at(-1)!.metrics.find((one) => one.name === name);
  return (metric?.points ?? [])
    .filter(({ attributes }) => outcome === undefined || attributes['outcome'] === outcome)
    .reduce((sum, { asDouble, count }) => sum + (asDouble ?? count ?? 0), 0);
}

describe('fareproof load --otlp', () => {
  it.each([
    ['the native engine', []],
    ['two threads', ['--workers', '2']],
    ['autocannon', ['--engine', 'autocannon']],
  ])('sends what the document of a run says, with %s', async (_engine, flags) => {
    collector = await startCollector();
    const { stdout, stderr } = await load('--otlp', collector.url, ...flags);
    const { achieved, errors } = JSON.parse(stdout) as LoadDocument;
    expect(achieved.ok).toBeGreaterThan(0);
    expect(total('fareproof.load.requests', 'ok')).toBe(achieved.ok);
    expect(total('fareproof.load.requests', 'failed')).toBe(achieved.failed);
    expect(errors['http-500']).toBeGreaterThan(0);
    expect(total('fareproof.load.errors')).toBe(achieved.failed);
    expect(total('fareproof.load.response.duration')).toBe(achieved.sent);
    expect(collector.exports.at(-1)!.resource).toMatchObject({ 'service.name': 'fareproof' });
    expect(stderr).not.toContain('metrics');
  });

  it('warns once of a collector that is not there, and runs as without it', {
    tags: ['long'],
  }, async () => {
    const { stdout, stderr } = await load('--otlp', CLOSED_ADDRESS);
    expect((JSON.parse(stdout) as LoadDocument).achieved.ok).toBeGreaterThan(0);
    expect(stderr.match(/warning: metrics are not exported/g)).toHaveLength(1);
  });

  it('refuses an address that is none, before anything is sent', async () => {
    const { exitCode, stderr } = await load('--otlp', 'collector');
    expect([exitCode, stderr]).toEqual([EXIT.usage, expect.stringContaining('OTLP_URL')]);
    expect(target!.tokenRequests).toEqual([]);
  });
});
