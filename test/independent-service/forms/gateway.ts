import type { Form } from '../form.ts';
import { DAY_MS, MINUTE_MS } from '../state.ts';
import { forgive } from './builders.ts';
import { notesServed, wasNoted } from './memory.ts';

/** A gateway that answers a query again, whoever asks, for a minute. */
const cachedByUrl = (why: string): Form => ({
  ...notesServed((r) => JSON.stringify(r.fields)),
  ...forgive(
    why,
    (r) => r.endpoint === 'estimate' && wasNoted(r, JSON.stringify(r.fields), MINUTE_MS),
  ),
});

/** A gateway that authenticates a connection, not each request. */
const byConnection = (why: string): Form => ({
  ...notesServed((r) => r.connection),
  ...forgive(why, (r) => r.endpoint === 'estimate' && wasNoted(r, r.connection, DAY_MS)),
});

/** A gateway or a cache before the service, that knows a connection or a query again. */
export const GATEWAY: Readonly<Record<string, Form>> = {
  'auth/authorization-required#cached-by-url': cachedByUrl('authorization-missing'),
  'auth/authorization-required#connection': byConnection('authorization-missing'),
  'auth/unknown-token#cached-by-url': cachedByUrl('token-unknown'),
  'auth/unknown-token#connection': byConnection('token-unknown'),
  'auth/scope-public#cached-by-url': cachedByUrl('scope'),
  'auth/scope-public#connection': byConnection('scope'),
  'auth/token-of-partner#cached-by-url': cachedByUrl('token-foreign'),
  'auth/token-of-partner#connection': byConnection('token-foreign'),
  'auth/scheme#cached-by-url': cachedByUrl('authorization-shape'),
  'auth/scheme#connection': byConnection('authorization-shape'),
  'lifecycle/access-token-expires#cached-by-url': cachedByUrl('expired'),
  'lifecycle/access-token-expires#connection': byConnection('expired'),
  'lifecycle/user-token-newest-only#cached-by-url': cachedByUrl('token-ended'),
  'lifecycle/user-token-newest-only#connection': byConnection('token-ended'),
  'auth/user-signature#cached-by-url': cachedByUrl('signature'),
};
