import { it } from 'vitest';
import {
  expectJudgement,
  type RuleCase,
  tokenRequest,
  tokens,
  userToken,
} from '../client-traffic.ts';

it.each<RuleCase>([
  [
    'client/timestamp-iso8601',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { _: '1772452800' } })],
    /1772452800/,
  ],
  [
    'client/timestamp-fresh',
    [tokenRequest('a', { fields: { _: '2026-03-02T20:09:59+08:00' } })],
    [tokenRequest('a', { fields: { _: '2026-03-02T20:00:00' } })],
    /ahead; without a zone/,
  ],
  [
    'client/nostr',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: 'a1B2c3d' } })],
    /a1B2c3d/,
  ],
  [
    'client/nostr',
    [tokenRequest('a')],
    [tokenRequest('a', { fields: { nostr: 'a1B2c-' } })],
    /a1B2c-/,
  ],
  [
    'client/nostr-random',
    tokens(2),
    tokens(2, (at) => ({ at, fields: { nostr: 'a1B2c3' } })),
    /second time/,
  ],
  [
    'client/scope-known',
    [userToken('a')],
    [tokenRequest('a', { fields: { scope: 'public,rides.read' } })],
    /public,rides/,
  ],
  [
    'client/scope-on-behalf',
    [userToken('a')],
    [userToken('a', { fields: { scope: 'public' } })],
    /rides.read, rides.request/,
  ],
])('%s, case %#', (...ruleCase) => {
  expectJudgement(...ruleCase);
});
