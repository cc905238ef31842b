import { describe, expect, it } from 'vitest';
import type { ForecastDocument } from '../../../src/documents/forecast.ts';
import { forecastText } from '../../../src/report/console/forecast.ts';

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
    tool: { name: 'fareproof', version: '1.0.0' },
    target: { name: 'a\u001b[31m', baseUrl: 'http://a.example', environment: 'production' },
    suite: 'full',
  } satisfies ForecastDocument;

  it('is wrapped to the terminal, and groups rules with the same reason', () => {
    const lines = forecastText(forecast, { isEmbedded: false, columns: 50 });
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
    expect(forecastText(forecast, { isEmbedded: false }).join(' ')).toContain(
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
    const lines = forecastText({ ...forecast, leftOut }, { isEmbedded: false });
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
    expect(forecastText(forecast, { isEmbedded: false }).join('')).not.toContain('\u001b');
  });
});
