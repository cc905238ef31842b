import type { Attempt, Form } from '../../form.ts';
import { signatureOf } from '../../reading-signature.ts';
import { textOf } from '../../state.ts';
import { prefixOfSignature } from '../builders.ts';
import { behindRightOne, firstSight, replayed, wasRight, without } from './seen-before.ts';

const uncoveredOfQuery = (...names: string[]): Form => ({
  signs: (r, isSigned, pairs) =>
    r.asUser &&
    isSigned(Object.fromEntries(Object.entries(pairs).filter(([name]) => !names.includes(name)))),
});

/** Of the parameters of a user's estimate, one may be changed after signing. */
const changedInQuery = (name: string, guesses: (value: string) => readonly unknown[]): Form => ({
  signs: (r, isSigned, pairs) =>
    r.asUser &&
    name in pairs &&
    guesses(textOf(pairs[name])).some((guess) => isSigned({ ...pairs, [name]: guess })),
});

/** Numbers that differ in their last digit. */
const near = (text: string): string[] =>
  Array.from('0123456789').flatMap((digit) => [text.slice(0, -1) + digit, text + digit]);

const signedEstimate = (isAccepted: (sent: string, right: string) => boolean): Form => ({
  signs: (r, _isSigned, pairs) =>
    r.asUser &&
    r.partner !== null &&
    isAccepted(r.signature?.toLowerCase() ?? '', signatureOf(pairs, r.partner.key)),
});

/** A parameter of a user's estimate that is not signed. */
const unsignedParameter = (name: string): Form => ({
  signs: (r, isSigned, pairs) => {
    if (!r.asUser || !(name in pairs)) return false;
    const text = textOf(pairs[name]);
    const digits = Array.from('0123456789', (digit) => text.slice(0, -1) + digit);
    return (
      isSigned(without(pairs, name)) ||
      [...digits, `${text}-2`, text.replace(/-2$/, '')].some((one) =>
        isSigned({ ...pairs, [name]: one }),
      )
    );
  },
});

/** Any signature of 32 digits of some estimates. */
const unchecked = (isTrusted: (r: Attempt) => boolean): Form => ({
  signs: (r) => r.asUser && /^[0-9a-f]{32}$/i.test(r.signature ?? '') && isTrusted(r),
});

/**
 * Signatures of a user's estimate that are compared in part, or do not cover each parameter.
 */
export const USER_SIGNATURE: Readonly<Record<string, Form>> = {
  'auth/user-signature#first-sight': firstSight('estimate', (r) => (r.asUser ? r.partner : null)),
  'auth/user-signature#connection': firstSight('estimate', (r) => (r.asUser ? r.connection : null)),
  'auth/user-signature#behind-a-right-one': behindRightOne,
  'auth/user-signature#token-once-seen': firstSight('estimate', (r) => (r.asUser ? r.token : null)),
  'auth/user-signature#replayed': replayed('estimate'),
  'auth/user-signature#with-departure': unchecked(({ fields }) => 'departure_time' in fields),
  'auth/user-signature#with-imei': unchecked(({ fields }) => 'imei' in fields),
  'auth/user-signature#non-ascii-names': unchecked(({ fields }) =>
    /[^ -~]/.test(textOf(fields['from_name'])),
  ),
  'auth/user-signature#in-capitals': unchecked(
    ({ signature }) => signature === signature?.toUpperCase() && /[A-F]/.test(signature ?? ''),
  ),
  'auth/user-signature#no-content-type': unchecked(({ contentType }) => contentType === undefined),
  'auth/user-signature#in-other-order': unchecked(
    ({ fields }) => Object.keys(fields)[0] !== 'start_lat',
  ),
  'auth/user-signature#of-a-token-request': {
    ...replayed('token'),
    signs: (r) => r.asUser && wasRight(r, 'token'),
  },
  'auth/user-signature#added-parameter': {
    signs: (r, isSigned, pairs) =>
      r.asUser && Object.keys(pairs).some((name) => isSigned(without(pairs, name))),
  },
  'auth/user-signature#required-only': uncoveredOfQuery('imei', 'map_type', 'departure_time'),
  'auth/user-signature#nothing-signed': { signs: (r, isSigned) => r.asUser && isSigned({}) },
  'auth/user-signature#imei-not-covered': uncoveredOfQuery('imei'),
  'auth/user-signature#names-not-covered': {
    signs: (r, isSigned, pairs) =>
      r.asUser && isSigned({ ...pairs, from_name: pairs['to_name'], to_name: pairs['from_name'] }),
  },
  'auth/user-signature#product-not-covered': changedInQuery('product_type', () => [
    'private-car',
    'express-car',
  ]),
  'auth/user-signature#ride-type-not-covered': changedInQuery('ride_type', () => [
    'compact',
    'express',
    'pool',
    'pool-seats',
  ]),
  'auth/user-signature#departure-not-covered': changedInQuery('departure_time', (text) =>
    [undefined, Number(text) + 60, Number(text) + 600, Number(text) + 3600, Number(text) - 60].map(
      (one) => one && String(one),
    ),
  ),
  'auth/user-signature#case-of-values': {
    signs: (r, isSigned, pairs) =>
      r.asUser &&
      isSigned(
        Object.fromEntries(
          Object.entries(pairs).map(([name, one]) => [name, textOf(one).toLowerCase()]),
        ),
      ),
  },
  'auth/user-signature#coordinates-rounded': {
    signs: (r, isSigned, pairs) =>
      r.asUser &&
      ['start_lat', 'start_lng', 'end_lat', 'end_lng'].some((name) =>
        near(textOf(pairs[name])).some((one) => isSigned({ ...pairs, [name]: one })),
      ),
  },
  'auth/user-signature#31-digits': prefixOfSignature(31),
  'auth/user-signature#without-the-first': signedEstimate(
    (sent, right) => sent.slice(1) === right.slice(1),
  ),
  'auth/user-signature#one-in-the-middle': signedEstimate(
    (sent, right) => sent.slice(0, 15) === right.slice(0, 15) && sent.slice(16) === right.slice(16),
  ),
  'auth/user-signature#first-eight': prefixOfSignature(8),
  'auth/user-signature#zeros': signedEstimate((sent) => /^0*$/.test(sent)),
  'auth/user-signature#empty': signedEstimate((sent) => sent === ''),
  'auth/user-signature#with-a-suffix': signedEstimate((sent, right) => sent.startsWith(right)),
  'auth/user-signature#another-partner': {
    signs: (r, isSigned) =>
      r.asUser && [...r.service.partners.values()].some(({ key }) => isSigned(undefined, key)),
  },
  'auth/user-signature#empty-key': { signs: (r, isSigned) => r.asUser && isSigned(undefined, '') },
  'auth/user-signature#cut-short': {
    signs: (r, _isSigned, pairs) =>
      r.asUser &&
      r.partner !== null &&
      signatureOf(pairs, r.partner.key).startsWith(r.signature?.toLowerCase() ?? ''),
  },
  'auth/user-signature#first-16': prefixOfSignature(16),
  ...Object.fromEntries(
    ['start_lat', 'start_lng', 'end_lat', 'end_lng', 'from_name', 'to_name', 'map_type'].map(
      (name) => [`auth/user-signature#${name}-unsigned`, unsignedParameter(name)],
    ),
  ),
  'auth/user-signature#first-of-a-token': {
    signs: (r) => r.asUser && r.token?.uses === 0,
  },
};
