import type { Attempt, Fields, Form } from '../../form.ts';
import { signatureOf } from '../../reading-signature.ts';

const trusted = new WeakSet<object>();

/** Trusts a key of a request once a right signature was seen with it. */
export const firstSight = (
  endpoint: Attempt['endpoint'],
  keyOf: (r: Attempt) => object | null,
): Form => ({
  reading: (r) => {
    const key = keyOf(r);
    if (
      r.endpoint === endpoint &&
      key &&
      r.partner &&
      signatureOf(r.fields, r.partner.key) === r.signature?.toLowerCase()
    )
      trusted.add(key);
    return {};
  },
  signs: (r) => {
    const key = keyOf(r);
    return r.endpoint === endpoint && key !== null && trusted.has(key);
  },
});

/** Requests of each connection, the last two. */
const latest = new WeakMap<object, readonly Attempt[]>();

/** Accepts a user's estimate behind a right one of the same token on its connection. */
export const behindRightOne: Form = {
  reading: (r) => {
    const before = latest.get(r.connection) ?? [];
    if (before.at(-1) !== r) latest.set(r.connection, [...before.slice(-1), r]);
    return {};
  },
  signs: (r) => {
    const [before] = latest.get(r.connection) ?? [];
    return (
      r.asUser &&
      before !== undefined &&
      before !== r &&
      before.token === r.token &&
      before.partner !== null &&
      signatureOf(before.fields, before.partner.key) === before.signature?.toLowerCase()
    );
  },
};

const seen = new WeakMap<object, Set<string>>();

/** Accepts a signature that was right once, whatever it is sent with. */
export const replayed = (endpoint: Attempt['endpoint']): Form => ({
  reading: (r) => {
    const set = seen.get(r.service) ?? new Set();
    seen.set(r.service, set);
    if (r.partner && signatureOf(r.fields, r.partner.key) === r.signature?.toLowerCase())
      set.add(`${r.endpoint} ${r.signature}`);
    return {};
  },
  signs: (r) =>
    r.endpoint === endpoint && (seen.get(r.service)?.has(`${endpoint} ${r.signature}`) ?? false),
});

/** True if that signature was right in a request of that endpoint. */
export const wasRight = (r: Attempt, endpoint: Attempt['endpoint']): boolean =>
  seen.get(r.service)?.has(`${endpoint} ${r.signature}`) ?? false;

/** Pairs without one of them. */
export const without = (pairs: Fields, name: string): Fields =>
  Object.fromEntries(Object.entries(pairs).filter(([one]) => one !== name));
