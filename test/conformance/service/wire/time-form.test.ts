import { describe, expect, it } from 'vitest';
import { recheckService } from '../../../../src/conformance/index.ts';
import { OTHER_FORMS, Stamp } from '../../../../src/conformance/service/wire/time-form.ts';
import { judgeControlled, judgeMetered, withVerdict } from '../../../independent-service/judge.ts';
import { STYLES, type Style } from '../../../independent-service/style.ts';

const NOW = Date.UTC(2026, 2, 2, 12, 0, 0, 987);

describe('the stamp of a request', () => {
  it('is in whole seconds, rounded down, and in UTC', () => {
    expect(new Stamp().textOf(NOW)).toBe('2026-03-02T12:00:00Z');
  });

  it('has a fraction and an offset where a target wants them', () => {
    const stamp = new Stamp();
    stamp.form = 'with a fraction and with +00:00';
    expect(stamp.textOf(NOW)).toBe('2026-03-02T12:00:00.987+00:00');
  });

  it('has the zone that a target wants, or none', () => {
    const stamp = new Stamp();
    stamp.form = 'with +08:00';
    expect(stamp.textOf(NOW)).toBe('2026-03-02T20:00:00+08:00');
    stamp.form = 'without an offset';
    expect(stamp.textOf(NOW)).toBe('2026-03-02T12:00:00');
  });

  it.each([
    ['20 s behind', 20, '2026-03-02T11:59:40Z'],
    ['in time, but in whole seconds', 0, '2026-03-02T12:00:00Z'],
    ['an hour behind, which may be another clock', 3600, '2026-03-02T12:00:00Z'],
    ['a minute ahead', -60, '2026-03-02T12:00:00Z'],
  ])('heeds a Date header that is %s', (_, secondsBehind, expected) => {
    const stamp = new Stamp();
    stamp.learnOffset(new Date(NOW - secondsBehind * 1000).toUTCString(), NOW);
    expect(stamp.textOf(NOW)).toBe(expected);
  });

  it('is tried in the forms that a reader of ISO 8601 may want', () => {
    const stamp = new Stamp();
    const texts = OTHER_FORMS.map((form) => {
      stamp.form = form;
      return stamp.textOf(NOW);
    });
    expect(texts).toEqual([
      '2026-03-02T12:00:00.987Z',
      '2026-03-02T12:00:00+00:00',
      '2026-03-02T12:00:00.987+00:00',
      '2026-03-02T20:00:00+08:00',
      '2026-03-02T12:00:00',
    ]);
  });

  it.each([
    [0, 0],
    [1_499, 0],
    [1_500, -1_500],
    [300_000, -300_000],
    [300_001, 0],
    [-1_500, 0],
  ])('adds to a clock that is %d ms ahead of a Date header: %d ms', (aheadMs, offsetMs) => {
    const stamp = new Stamp();
    const dateMs = Date.UTC(2026, 2, 2, 12);
    stamp.learnOffset(new Date(dateMs).toUTCString(), dateMs + aheadMs);
    expect(stamp.offsetMs).toBe(offsetMs);
    const words = `its Date header is ${Math.round(aheadMs / 1000)} s behind`;
    expect(stamp.notes).toEqual(offsetMs === 0 ? [] : [expect.stringContaining(words)]);
  });

  it('heeds no header that is missing or no date', () => {
    const stamp = new Stamp();
    for (const date of [undefined, 'soon']) stamp.learnOffset(date, NOW);
    expect(stamp.notes).toEqual([]);
  });
});

describe('a target with a clock or a form of its own', () => {
  const [plain] = STYLES;
  const only = ['token/timestamp-*', 'signature/valid-accepted'];

  it('is stamped in the form that it takes, which the result names', {
    tags: ['long'],
  }, async () => {
    const style: Style = { ...plain!, timeForm: /\.\d+Z$/ };
    const result = await judgeControlled(style, [], { only });
    expect(withVerdict(result, 'fail', 'warn', 'inconclusive')).toEqual([]);
    expect(result.notes.join()).toContain('each request has it with a fraction and with Z');
    const again = await recheckService(result);
    expect(again.rules.map(({ verdict }) => verdict)).toEqual(
      result.rules.map(({ verdict }) => verdict),
    );
  });

  it.each([
    ['in +08:00', /\+08:00$/],
    ['without a zone', /T\d\d:\d\d:\d\d$/],
  ])('is judged on its times where it wants them %s', async (_, timeForm) => {
    const result = await judgeControlled({ ...plain!, timeForm }, [], { only });
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
    expect(withVerdict(result, 'pass')).toContain('token/timestamp-expired');
  });

  it('is stamped by its Date header, which the result names', async () => {
    const style: Style = { ...plain!, clockBehindMs: 20_000, futureMs: 0 };
    const { result } = await judgeMetered(style, [], ['general', 'general'], { only });
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
    expect(withVerdict(result, 'pass')).toContain('signature/valid-accepted');
    expect(result.notes.join()).toMatch(/2[01] s behind this machine's clock/);
  });

  it('is not tried in other forms if a refusal speaks of no time and requests cost', async () => {
    const style: Style = { ...plain!, timeForm: /\.\d+Z$/, errorBody: 'none' };
    const { service, result } = await judgeMetered(style, [], ['general'], { only });
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
    const forms = service.bodies.filter((body) => /\.\d+Z"/.test(body));
    expect(forms).toEqual([]);
  });
});
