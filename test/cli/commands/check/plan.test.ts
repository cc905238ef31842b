import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { forecastText } from '../../../../src/cli/commands/check/plan/forecast-text.ts';
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

describe('the text of a forecast', () => {
  const rule = (id: string) => ({
    rule: `carpool/${id}`,
    reason: 'the profile has no query for the shape carpoolSeats of an estimate',
    remedy: 'add it',
  });
  const forecast = {
    judged: ['auth/scheme'],
    pending: [{ rule: 'quota/ban-lifts', reason: 'another day', remedy: '' }],
    inconclusive: [],
    untestable: [rule('seat-sharing'), rule('seats-distinct')],
    partners: [],
    leftOut: [],
    interrupted: false,
  };
  const about = {
    target: { name: 'a\u001b[31m', baseUrl: 'http://a.example' },
    suite: 'full',
    isEmbedded: false,
  };

  it('is wrapped to the terminal, and groups rules with the same reason', () => {
    const lines = forecastText(forecast, about, 50);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(50);
    expect(lines.slice(-5)).toEqual([
      'Untestable (2):',
      '  - the profile has no query for the shape',
      '    carpoolSeats of an estimate',
      '    to judge: add it',
      '    carpool: seat-sharing, seats-distinct',
    ]);
  });

  it('counts what is judged, pending and untestable', () => {
    expect(forecastText(forecast, about).join(' ')).toContain(
      'suite full: 1 of 4 rules judged, 1 pending, 2 untestable.',
    );
  });

  it('names the parts that are left out of rules that are judged', () => {
    const left = (of: string, carriers: string[]) => ({ rule: of, parts: 2, of: 3, carriers });
    const leftOut = [
      left('token/json-body', ['a refresh']),
      left('token/nostr-case', []),
      left('token/nostr-length', ['a refresh']),
    ];
    const lines = forecastText({ ...forecast, leftOut }, about);
    expect(
      lines.slice(
        lines.indexOf('Left out of rules that are judged, for want of allowance or requests:'),
      ),
    ).toEqual([
      'Left out of rules that are judged, for want of allowance or requests:',
      '  - further requests; not tried: a refresh',
      '    token: json-body (2 of 3), nostr-length (2 of 3)',
      '  - further requests of a kind that was tried',
      '    token: nostr-case (2 of 3)',
    ]);
  });

  it('shows no control character of a name', () => {
    expect(forecastText(forecast, about).join('')).not.toContain('\u001b');
  });
});
