import type { Attempt, Fields, Form } from '../../form.ts';
import { signatureOf } from '../../reading-signature.ts';
import { HOUR_MS, textOf } from '../../state.ts';
import { KNOWN_FIELDS } from '../../style.ts';
import { notesOf, wasNoted } from '../memory.ts';
import { firstSight, replayed, without } from './seen-before.ts';

/** Accepts any signature of some requests, whatever was signed in place of their fields. */
const anyFor = (isMeant: (r: Attempt, pairs: Fields) => boolean): Form => ({
  signs: (r, _isSigned, pairs) =>
    r.endpoint === 'token' && /^[0-9a-f]{32}$/i.test(r.signature ?? '') && isMeant(r, pairs),
});

/** True if the partner has not sent this value of the field before with a right signature. */
function alteredOnly(r: Attempt, name: string): boolean {
  return (
    !r.partner?.nostrs.has(textOf(r.fields[name])) &&
    Object.keys(r.fields).every((one) => KNOWN_FIELDS.includes(one)) &&
    !('scope' in r.fields) &&
    !('auth_code' in r.fields)
  );
}

/** Accepts requests to which some fields were added after signing. */
const unsigned = (...names: string[]): Form => ({
  signs: (r, isSigned, pairs) =>
    r.endpoint === 'token' &&
    isSigned(Object.fromEntries(Object.entries(pairs).filter(([name]) => !names.includes(name)))),
});

/** Accepts a signature of the values, read in another way. */
const valuesRead = (textFor: (text: string) => string): Form => ({
  signs: (r, isSigned, pairs) => {
    if (r.endpoint !== 'token') return false;
    const values = Object.fromEntries(
      Object.entries(pairs).map(([name, one]) => [
        name,
        typeof one === 'string' ? textFor(one) : one,
      ]),
    );
    return isSigned(values);
  },
});

const secondsAround = (text: string): string[] => {
  const at = Date.parse(text);
  if (Number.isNaN(at)) return [];
  return Array.from({ length: 61 }, (_one, step) =>
    new Date(at + (step - 30) * 1000).toISOString(),
  ).flatMap((iso) => [iso, iso.replace(/\.\d+/, '')]);
};

/** Fields of a token request that its signature does not cover. */
export const COVERAGE: Readonly<Record<string, Form>> = {
  'signature/covers-fields#nostr': anyFor(
    (r, pairs) => r.kind === 'platform' && 'nostr' in pairs && alteredOnly(r, 'nostr'),
  ),
  'signature/covers-fields#added-field': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      Object.keys(pairs).some(
        (name) => !['grant_type', '_', 'nostr'].includes(name) && isSigned(without(pairs, name)),
      ),
  },
  'signature/covers-fields#added-unknown-field': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      isSigned(
        Object.fromEntries(Object.entries(pairs).filter(([name]) => KNOWN_FIELDS.includes(name))),
      ),
  },
  'signature/covers-fields#added-refresh-token': unsigned('refresh_token'),
  'signature/covers-fields#added-auth-code': unsigned('auth_code'),
  'signature/covers-fields#added-scope': unsigned('scope'),
  'signature/covers-fields#added-grant-type': unsigned('grant_type'),
  'signature/covers-fields#added-time': unsigned('_'),
  'signature/covers-fields#added-nostr': unsigned('nostr'),
  'signature/covers-fields#nostr-and-time-only': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' && isSigned({ _: pairs['_'], nostr: pairs['nostr'] }),
  },
  'signature/covers-fields#required-only': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      isSigned({ _: pairs['_'], nostr: pairs['nostr'], grant_type: pairs['grant_type'] }),
  },
  'signature/covers-fields#removed-scope': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      !('scope' in pairs) &&
      ['public', 'public profile', 'profile', 'public rides.read rides.request'].some((scope) =>
        isSigned({ ...pairs, scope }),
      ),
  },
  'signature/covers-fields#first-sight': firstSight('token', (r) => r.partner),
  'signature/covers-fields#connection': firstSight('token', (r) => r.connection),
  'signature/covers-fields#signature-replayed': replayed('token'),
  'signature/covers-fields#case-of-values': valuesRead((text) => text.toLowerCase()),
  'signature/covers-fields#case-of-scope': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      'scope' in pairs &&
      isSigned({ ...pairs, scope: textOf(pairs['scope']).toLowerCase() }),
  },
  'signature/covers-fields#scope-first-word': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      'scope' in pairs &&
      isSigned({ ...pairs, scope: textOf(pairs['scope']).split(' ')[0] }),
  },
  'signature/covers-fields#grant-type-any': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      ['client_credentials', 'refresh_token', 'authorization_code'].some((one) =>
        isSigned({ ...pairs, grant_type: one }),
      ),
  },
  'signature/covers-fields#scope-any': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      ['public', 'profile', 'public profile', 'rides.read', 'public rides.read rides.request'].some(
        (scope) => isSigned({ ...pairs, scope }),
      ),
  },
  'signature/covers-fields#time-minute': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' &&
      secondsAround(textOf(pairs['_'])).some((time) => isSigned({ ...pairs, _: time })),
  },
  'signature/covers-fields#any-own-refresh-token': {
    signs: (r, isSigned, pairs) =>
      r.kind === 'refresh' &&
      [...r.service.refreshes.values()].some(
        ({ text, partner, usedAt }) =>
          partner === r.partner && usedAt === null && isSigned({ ...pairs, refresh_token: text }),
      ),
  },
  'signature/covers-fields#any-own-code': {
    signs: (r, isSigned, pairs) =>
      r.kind === 'user' &&
      [...(r.partner?.codes.keys() ?? [])].some((code) => isSigned({ ...pairs, auth_code: code })),
  },
  'signature/covers-fields#cached-by-nostr': {
    reading: (r) => {
      if (r.partner && signatureOf(r.fields, r.partner.key) === r.signature?.toLowerCase())
        notesOf(r.service).set(`${r.partner.id} ${textOf(r.fields['nostr'])}`, r.service.now());
      return {};
    },
    signs: (r) =>
      r.endpoint === 'token' &&
      wasNoted(r, `${r.partner?.id} ${textOf(r.fields['nostr'])}`, HOUR_MS),
  },
};
