import { beforeAll, describe, expect, it } from 'vitest';
import type { ServiceResult } from '../../../src/conformance/index.ts';
import { acceptanceOf } from '../../../src/conformance/service/judge/both-sides.ts';
import {
  SERVICE_CHECKS,
  SERVICE_OBSERVATIONS,
} from '../../../src/conformance/service/rules/all.ts';
import { SERVICE_RULES } from '../../../src/interface/catalogue.ts';
import { GAPS } from '../../../src/interface/gaps.ts';
import { Chance } from '../../independent-service/chance.ts';
import { judgeControlled, judgeMetered, withVerdict } from '../../independent-service/judge.ts';
import { STYLES, type Style } from '../../independent-service/style.ts';
import { settingOf, wordsOf } from './gaps/observed.ts';

const SIX = ['general', 'general', 'general', 'general', 'general', 'general'] as const;

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

/** Rules that a run should have found no fault in, with what it says of them. */
const accusedIn = ({ rules }: ServiceResult): string[] =>
  rules
    .filter(({ verdict }) => ['fail', 'warn', 'inconclusive'].includes(verdict))
    .map(({ id, reason }) => `${id}: ${reason}`);

for (const [at, style] of STYLES.entries()) {
  describe(`a conforming service in the style ${style.name}`, {
    tags: at === 0 ? [] : ['long'],
  }, () => {
    let controlled: ServiceResult;
    let metered: Awaited<ReturnType<typeof judgeMetered>>;
    const expected = settingsOf(style);

    beforeAll(async () => {
      controlled = await judgeControlled(style, []);
      metered = await judgeMetered(style, [], SIX);
    });

    it('breaks no rule, and is judged completely, with a control API', () => {
      expect(accusedIn(controlled)).toEqual([]);
      expect(controlled.rules.map(({ id }) => id)).toEqual(SERVICE_RULES.map(({ id }) => id));
    });

    it('passes each rule by a refusal, or the rule says what its acceptances mean', () => {
      const statusOf = new Map(controlled.exchanges.map((one) => [one.id, one.response?.status]));
      const isRefused = (id: string): boolean => statusOf.get(id) !== 200;
      const declared = new Set([
        ...SERVICE_OBSERVATIONS.map(({ rule }) => rule),
        ...SERVICE_CHECKS.flatMap((check) => check.rules.filter((id) => acceptanceOf(check, id))),
      ]);
      const open = controlled.rules.filter(
        ({ id, exchanges }) => !declared.has(id) && !exchanges.some(isRefused),
      );
      expect(open.map(({ id }) => id)).toEqual([]);
    });

    it('breaks no rule, and bans nobody, with six metered partners', () => {
      const { result, service } = metered;
      expect(accusedIn(result)).toEqual([]);
      expect(service.bans).toEqual([]);
      expect(withVerdict(result, 'pass').length).toBeGreaterThanOrEqual(80);
    });

    it('has gaps that are all observed with a control API', () => {
      const { gaps } = controlled;
      const seen = Object.keys(expected).map((id) => [id, settingOf(gaps, id)]);
      expect(Object.fromEntries(seen)).toEqual(expected);
      expect(gaps.map(({ id }) => id)).toEqual(GAPS.map(({ id }) => id));
      for (const { observed, note } of gaps) expect(observed?.words ?? note).toMatch(/\S/);
    });

    it('has gaps that refer to existing exchanges', () => {
      const ids = new Set(controlled.exchanges.map(({ id }) => id));
      const lost = controlled.gaps.flatMap(({ observed }) =>
        (observed?.exchanges ?? []).filter((id) => !ids.has(id)),
      );
      expect(lost).toEqual([]);
      const bare = controlled.gaps.filter((gap) => gap.observed && !gap.observed.exchanges?.length);
      expect(bare.map(({ id }) => id)).toEqual([]);
    });

    it('has the status of each condition that occurred', () => {
      const refusalOf = (why: string): number => style.refusal(why, new Chance());
      const statuses = settingOf(controlled.gaps, 'error-status') as Record<string, number>;
      const why = { 'signature-invalid': 'signature', banned: 'banned', 'field-missing': 'field' };
      for (const [condition, name] of Object.entries(why)) {
        expect(statuses[condition]).toBe(refusalOf(name));
      }
      expect(wordsOf(controlled.gaps, 'error-status')).toContain(
        `access-token-invalid ${refusalOf('token')}`,
      );
      expect(statuses['access-token-invalid']).toBe(
        refusalOf('token') < 300 ? undefined : refusalOf('token'),
      );
    });

    it('has gaps that are observed with the remaining allowance of metered partners', () => {
      const { gaps } = metered.result;
      for (const { id, observed, note } of gaps) {
        if (observed) expect([id, observed.value]).toEqual([id, expected[id] ?? observed.value]);
        else expect(note).toMatch(/\S/);
      }
      const unseen = gaps.filter(({ observed }) => !observed).map(({ id }) => id);
      expect(unseen).toEqual(expect.arrayContaining(CONTROLLED_ONLY));
      expect(gaps.length - unseen.length).toBeGreaterThanOrEqual(15);
    });
  });
}

describe('a conforming service that writes 100 Continue before each answer, unasked', () => {
  const style = { ...STYLES[0]!, continuesUnasked: true };

  it('is judged completely', { tags: ['long'] }, async () => {
    const only = ['token/*', 'auth/*', 'estimate/*'];
    const result = await judgeControlled(style, [], { only });
    expect(result.summary).toMatchObject({ fail: 0, warn: 0, inconclusive: 0, untestable: 0 });
  });

  it('gets each token request once', { tags: ['long'] }, async () => {
    const { result, service } = await judgeMetered(style, [], SIX);
    expect(withVerdict(result, 'fail', 'warn', 'inconclusive')).toEqual([]);
    const sent = result.exchanges.filter(({ request }) => request.method === 'POST');
    expect(service.bodies).toHaveLength(sent.length);
    expect(service.bans).toEqual([]);
  });
});
