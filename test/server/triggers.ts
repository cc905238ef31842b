import type { BehaviourInput, ErrorCondition } from '../../src/interface/index.ts';
import { Caller, type Reply } from './caller.ts';
import { asked, exceed, stamped, tokenOf, userTokenOf } from './on-server.ts';

type Trigger = (caller: Caller) => Promise<Reply>;

/** A request that is refused under each condition. */
export const TRIGGERS: Readonly<Record<ErrorCondition, Trigger>> = {
  'authorization-missing': (caller) => caller.platform({}, { authorization: null }),
  'authorization-shape': (caller) => caller.platform({}, { authorization: 'Bearer me' }),
  'partner-unknown': (caller) => new Caller(caller.server, 'nobody', 'k').platform(),
  'signature-invalid': (caller) => caller.platform({}, { key: 'wrong' }),
  'body-invalid': (caller) => caller.platform({}, { rawBody: '[]' }),
  'field-missing': (caller) => caller.platform({ nostr: '' }),
  'field-invalid': (caller) => caller.platform({ nostr: 123456 }),
  'grant-type-unknown': (caller) => caller.platform({ grant_type: 'password' }),
  'timestamp-expired': stamped('2026-03-02T11:49:59.999Z'),
  'nostr-replayed': async (caller) => {
    await caller.platform({ nostr: 'abc123' });
    return caller.platform({ nostr: 'abc123' });
  },
  'scope-unknown': (caller) => caller.platform({ scope: 'fly' }),
  'refresh-token-invalid': (caller) => caller.refresh('nope'),
  'auth-code-invalid': (caller) =>
    caller.platform({ grant_type: 'authorization_code', auth_code: 'nope' }),
  'quota-exceeded': async (caller) => {
    for (let sent = 0; sent < 10; sent++) await caller.platform();
    return caller.platform();
  },
  banned: async (caller) => {
    await exceed(caller);
    return caller.platform();
  },
  'access-token-invalid': (caller) => caller.estimate('nope'),
  'access-token-expired': async (caller) => {
    const token = await tokenOf(caller);
    caller.server.clock.advance(7200);
    return caller.estimate(token);
  },
  'scope-insufficient': async (caller) =>
    caller.estimate((await caller.platform({ scope: 'profile' })).body.access_token),
  'parameter-missing': asked({ to_name: '' }),
  'parameter-invalid': asked({ end_lat: '91' }),
  'no-estimate': asked({ product_type: 'boat' }),
  'rate-limited': async (caller) => {
    const token = await tokenOf(caller);
    await caller.estimate(token);
    return caller.estimate(token);
  },
  'path-unknown': (caller) => caller.platform({}, { path: '/v1' }),
  'method-not-allowed': (caller) => caller.platform({}, { path: '/v1/estimates/prices' }),
};

/** Estimate requests that are refused under a condition which token requests meet too. */
export const ESTIMATE_TRIGGERS = {
  'authorization-missing': (caller) => caller.estimate('', { authorization: null }),
  'authorization-shape': (caller) => caller.estimate('', { authorization: 'Bearer me' }),
  'partner-unknown': (caller) => new Caller(caller.server, 'nobody', 'k').estimate('t'),
  'signature-invalid': async (caller) =>
    caller.userEstimate(await userTokenOf(caller), { signature: '0'.repeat(32) }),
} as const satisfies Partial<Record<ErrorCondition, Trigger>>;

/** Settings of the server that some of the conditions need. */
export const TRIGGERING: BehaviourInput = {
  'nostr-replay': 'refused',
  'unknown-product-type': 'no-estimate',
  'no-estimate-answer': 'refused',
  'estimate-rate-limit': { perSecond: 1 },
};
