import { describe, expect, it } from 'vitest';
import { keptIn } from '../../../src/conformance/model/kept.ts';
import { ALLOWANCE_KINDS, ALLOWANCE_PER_DAY } from '../../../src/interface/limits.ts';
import {
  DAY_MS,
  HOUR_MS,
  type Manner,
  MINUTE_MS,
  PLAIN,
  SimulatedService,
} from './simulated-service.ts';

/** Uses each allowance up, exceeds it, and asks again some time after the ban began; another partner is asked too. */
function watch(manner: Partial<Manner>, afterMs: number): SimulatedService {
  const service = new SimulatedService({ ...PLAIN, ...manner });
  for (const kind of ALLOWANCE_KINDS) {
    const partner = `partner ${kind}`;
    service.ask('another', kind);
    service.use(partner, kind, ALLOWANCE_PER_DAY[kind]);
    service.pass(MINUTE_MS);
    service.ask(partner, kind);
    service.ask(partner, kind);
    service.ask('another', kind);
    service.pass(afterMs);
    service.ask(partner, kind);
    service.ask('another', kind);
    service.pass(2 * DAY_MS);
  }
  return service;
}

const JUST_BEFORE_MS = DAY_MS - 2 * MINUTE_MS;
const JUST_AFTER_MS = DAY_MS + MINUTE_MS;

describe('evidence that a rule on bans was kept', () => {
  it.each([
    ['quota/ban-lifts', {}, JUST_AFTER_MS, true],
    ['quota/ban-lifts', { banMs: 12 * HOUR_MS }, 13 * HOUR_MS, false],
    ['quota/ban-lifts', { banMs: 2 * DAY_MS }, JUST_AFTER_MS, false],
    ['quota/ban-lasts-24h', {}, JUST_BEFORE_MS, true],
    ['quota/ban-lasts-24h', {}, 13 * HOUR_MS, false],
    ['quota/ban-lasts-24h', { banMs: 12 * HOUR_MS }, JUST_BEFORE_MS, false],
    ['quota/platform-refuses-11th', {}, JUST_BEFORE_MS, true],
    ['quota/per-partner', {}, JUST_BEFORE_MS, true],
    ['quota/per-partner', { bansAll: true }, JUST_BEFORE_MS, false],
    ['quota/user-refuses-6th', {}, JUST_BEFORE_MS, true],
    ['quota/user-refuses-6th', { limit: { user: 4 } }, JUST_BEFORE_MS, false],
  ] as const)(
    '%s, of a service with %o, asked after %i ms: %s',
    (rule, manner, afterMs, isKept) => {
      const { log } = watch(manner, afterMs);
      const kept = keptIn(log, rule);
      expect(kept !== undefined).toBe(isKept);
      const ids = new Set(log.map(({ id }) => id));
      expect((kept?.exchanges ?? []).every((id) => ids.has(id))).toBe(true);
    },
  );
});

it.each([
  ['12 minutes', MINUTE_MS, true],
  ['4 hours', 24 * MINUTE_MS, false],
] as const)(
  'an allowance used up in %s, every %i ms, is that of one day: %s',
  (_span, eachMs, isOneDay) => {
    const service = new SimulatedService(PLAIN);
    for (let count = 0; count < 11; count++) {
      service.ask('a', 'platform');
      service.pass(eachMs);
    }
    const kept = keptIn(service.log, 'quota/platform-refuses-11th');
    expect(kept !== undefined).toBe(isOneDay);
  },
);
