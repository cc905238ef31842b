import { beforeAll, describe, expect, it } from 'vitest';
import { checkService, type ServiceResult } from '../../../../src/conformance/index.ts';
import { GAPS } from '../../../../src/interface/gaps.ts';
import {
  judgeControlled,
  judgeMetered,
  RUN,
  targetOf,
} from '../../../independent-service/judge.ts';
import { OutsideService } from '../../../independent-service/service.ts';
import { STYLES, type Style } from '../../../independent-service/style.ts';

type Gap = ServiceResult['gaps'][number];

const settingOf = (gaps: readonly Gap[], id: string): unknown =>
  gaps.find((gap) => gap.id === id)?.observed?.value;
const wordsOf = (gaps: readonly Gap[], id: string): string =>
  gaps.find((gap) => gap.id === id)?.observed?.words ?? '';

const CONTROLLED_ONLY = [
  'refused-request-extends-ban',
  'failed-requests-count',
  'day-boundary',
  'ban-reach',
  'user-quota-reach',
  'newest-user-token-reach',
];

/** Settings of each style, as in a behaviour file. */
function settingsOf(style: Style): Record<string, unknown> {
  const all = style.tokenFields === 'all';
  return {
    'signed-fields-token': style.tokenFields,
    'signed-fields-estimate': 'all',
    'signed-booleans-and-objects': all ? 'literal' : undefined,
    'text-zero-signed': all ? 'kept' : undefined,
    'slash-in-list': all ? 'escaped' : undefined,
    'signature-hex-case': 'any',
    'estimate-signed-decoded-or-encoded': 'decoded',
    'estimate-content-type-required': 'no',
    'timestamp-future': 'refused',
    'nostr-replay': style.nostrOnce ? 'refused' : 'accepted',
    'unknown-scope': 'granted',
    'failed-requests-count': style.failedCount ? 'yes' : 'no',
    'day-boundary': { 0: 'calendar-utc', rolling: 'rolling' }[style.day],
    'ban-reach': style.banReach,
    'user-quota-reach': style.userAllowancePer,
    'refused-request-extends-ban': style.extendsBan ? 'yes' : 'no',
    'refresh-replay-consequence': style.replayEndsFamily ? 'family-ended' : 'refused',
    'user-token-platform-header': 'accepted',
    'error-body': { none: 'empty', json: 'json', html: 'text', text: 'text' }[style.errorBody],
    'unknown-product-type': 'estimated',
    'unknown-ride-type': 'estimated',
    'map-types': 'any',
    'no-estimate-answer': undefined,
    'car-type-codes': [100],
    'pay-type-codes': ['1', '2'],
    'estimate-rate-limit': 'none',
    'token-type-spelling': style.tokenType,
    'version-policy': 'v1-only',
    'refresh-scope': { unnamed: 'kept', wider: 'kept' },
    'auth-code-reuse': 'refused',
    'departure-time-text': 'iso8601',
    'platform-token-after-refresh': 'valid',
    'newest-user-token-reach': 'user',
    'whitespace-trimmed': all ? 'ascii' : undefined,
    'null-and-empty-list-signed': all ? 'skipped' : undefined,
    'token-content-type-required': 'no',
    'token-rate-limit': 'none',
    'states-and-transitions': undefined,
    'ride-and-user-endpoints': undefined,
    events: undefined,
  };
}

describe.each(STYLES)('the gaps of a service in the style $name', (style) => {
  let controlled: ServiceResult;
  let metered: Awaited<ReturnType<typeof judgeMetered>>;
  const expected = settingsOf(style);

  beforeAll(async () => {
    controlled = await judgeControlled(style, []);
    metered = await judgeMetered(
      style,
      [],
      Array.from({ length: 6 }, () => 'general'),
    );
  }, 120_000);

  it('are all observed with a control API', () => {
    const { gaps } = controlled;
    const seen = Object.keys(expected).map((id) => [id, settingOf(gaps, id)]);
    expect(Object.fromEntries(seen)).toEqual(expected);
    expect(gaps.map(({ id }) => id)).toEqual(GAPS.map(({ id }) => id));
    for (const { observed, note } of gaps) expect(observed?.words ?? note).toMatch(/\S/);
  });

  it('refer to existing exchanges', () => {
    const ids = new Set(controlled.exchanges.map(({ id }) => id));
    const lost = controlled.gaps.flatMap(({ observed }) =>
      (observed?.exchanges ?? []).filter((id) => !ids.has(id)),
    );
    expect(lost).toEqual([]);
    const bare = controlled.gaps.filter((gap) => gap.observed && !gap.observed.exchanges?.length);
    expect(bare.map(({ id }) => id)).toEqual([]);
  });

  it('have the status of each condition that occurred', () => {
    const statuses = settingOf(controlled.gaps, 'error-status') as Record<string, number>;
    const why = { 'signature-invalid': 'signature', banned: 'banned', 'field-missing': 'field' };
    for (const [condition, name] of Object.entries(why)) {
      expect(statuses[condition]).toBe(style.refusal(name));
    }
    expect(wordsOf(controlled.gaps, 'error-status')).toContain(
      `access-token-invalid ${style.refusal('token')}`,
    );
    expect(statuses['access-token-invalid']).toBe(
      style.refusal('token') < 300 ? undefined : style.refusal('token'),
    );
  });

  it('are observed with the remaining allowance of metered partners, and nobody is banned', () => {
    const { gaps } = metered.result;
    expect(metered.service.bans).toEqual([]);
    for (const { id, observed, note } of gaps) {
      if (observed) expect([id, observed.value]).toEqual([id, expected[id] ?? observed.value]);
      else expect(note).toMatch(/\S/);
    }
    const unseen = gaps.filter(({ observed }) => !observed).map(({ id }) => id);
    expect(unseen).toEqual(expect.arrayContaining(CONTROLLED_ONLY));
    expect(gaps.length - unseen.length).toBeGreaterThanOrEqual(15);
  });
});

describe('limits of probes', () => {
  const [plain] = STYLES;

  it('a day in another time zone is found, and described', async () => {
    const { gaps } = await judgeControlled({ ...plain!, day: 5.5 }, []);
    expect(wordsOf(gaps, 'day-boundary')).toBe('it ends at 18:30 UTC, midnight of UTC+05:30');
    expect(settingOf(gaps, 'day-boundary')).toBeUndefined();
  }, 120_000);

  it('a broken rule has the same verdict as without probes', async () => {
    for (const rule of [
      'quota/per-partner',
      'lifecycle/platform-tokens-coexist',
      'record/jump-url',
    ]) {
      const { rules } = await judgeControlled(plain!, [rule]);
      const fallen = rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
      expect(fallen.map(({ id }) => id)).toEqual([rule]);
    }
  }, 120_000);

  it('a run of a few rules sends no probe, but observes gaps in its own traffic', async () => {
    const { exchanges, gaps } = await judgeControlled(plain!, [], { only: ['token/nostr-*'] });
    expect(exchanges.filter(({ key }) => key?.startsWith('gap/'))).toEqual([]);
    expect(settingOf(gaps, 'error-status')).toEqual({ 'field-invalid': 400, 'field-missing': 400 });
  });

  it('a target that goes away during probes keeps its verdicts', async () => {
    let unknownPaths = 0;
    // Ten are a rule's, one for each header, shape and way to get a token; the next is a probe's.
    const refusal = (why: string): number => {
      if (why === 'path' && ++unknownPaths === 11) void service.stop();
      return 400;
    };
    const service = await new OutsideService({ ...plain!, refusal }, []).start();
    const { rules, gaps } = await checkService({ ...RUN, target: targetOf(service, true) });
    const fallen = rules.filter(({ verdict }) =>
      ['fail', 'warn', 'inconclusive'].includes(verdict),
    );
    expect(fallen.map(({ id }) => id)).toEqual([]);
    expect(gaps.some(({ note }) => note !== undefined)).toBe(true);
  }, 120_000);
});
