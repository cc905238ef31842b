import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { forecastSchema } from '../../../../src/documents/forecast.ts';
import { runCaptured } from '../../../support/captured-io.ts';
import { problemsWith } from '../../../support/strict-document.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let cwd: string;

/** A target that cannot be reached. */
const PROFILE = {
  name: 'staging',
  baseUrl: 'http://staging.invalid',
  environment: 'production',
  partners: [{ id: 'acme', signingKey: 'the-key', authCodes: ['the-code'] }],
  signature: { tokenFields: 'all', estimateFields: 'all' },
  estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
};

beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'target.yaml'), JSON.stringify(PROFILE));
});

const plan = (...more: string[]) =>
  runCaptured(
    [
      'check',
      '--target',
      'target.yaml',
      '--suite',
      'smoke',
      '--ledger',
      'l.jsonl',
      '--plan',
      ...more,
    ],
    { cwd },
  );

describe('fareproof check --plan', () => {
  it('prints what the run judges and spends, and writes no run', async () => {
    const { exitCode, stdout, stderr } = await plan();
    expect(exitCode).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toContain('Forecast for staging (http://staging.invalid), suite smoke:');
    expect(stdout).toMatch(/^acme +\d of 10 +\d of 5 +0 of 10 +1 of 1$/m);
    expect(stdout).toMatch(/^Judged with acme \(\d+\):\n {2}signature: valid-accepted/m);
    expect(stdout).not.toMatch(/the-key|the-code/);
    expect(existsSync(join(cwd, 'reports'))).toBe(false);
  });

  it('lists what is not judged by its remedy', async () => {
    const { stdout } = await plan();
    expect(stdout).toMatch(
      /no query for the shape carpoolSeats\n {4}to judge: add estimates.carpoolSeats to the profile\n {4}carpool: seat-sharing, seats-distinct$/m,
    );
  });

  it('plans the same again: it spends nothing', async () => {
    const [first, second] = [await plan('--seed', '1'), await plan('--seed', '1')];
    expect(second.stdout).toBe(first.stdout);
  });

  it('prints JSON with --json', async () => {
    const { stdout } = await plan('--json');
    const forecast = JSON.parse(stdout) as Record<string, unknown>;
    expect(problemsWith(forecastSchema, forecast)).toEqual([]);
    expect(problemsWith(forecastSchema, { ...forecast, judge: [] })).not.toEqual([]);
    expect(forecast).toMatchObject({ suite: 'smoke', pending: [], interrupted: false });
    expect(forecast['judged']).toContain('token/scope-default');
    expect(forecast['partners']).toMatchObject([{ partner: 'acme', left: { platform: 10 } }]);
  });
});
