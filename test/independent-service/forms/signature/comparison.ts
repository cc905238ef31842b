import type { Attempt, Form } from '../../form.ts';
import { signatureOf } from '../../reading-signature.ts';
import type { Partner } from '../../state.ts';
import { textOf } from '../../state.ts';
import { KNOWN_FIELDS } from '../../style.ts';
import { swapCase } from '../builders.ts';
import { memoryOf, remember } from '../memory.ts';

const signed = (isAccepted: (r: Attempt, sent: string, right: string) => boolean): Form => ({
  signs: (r, _isSigned, pairs) =>
    r.endpoint === 'token' &&
    r.partner !== null &&
    isAccepted(r, r.signature?.toLowerCase() ?? '', signatureOf(pairs, r.partner.key)),
});

const digitsOf = (text: string): string =>
  Array.from(text)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join('');

/** A token request whose signature counts as right. */
const trusts = (isTrusted: (r: Attempt & { readonly partner: Partner }) => boolean): Form => ({
  signs: (r) =>
    r.endpoint === 'token' && r.partner !== null && isTrusted(r as Attempt & { partner: Partner }),
});

/** Signatures made with a key like the right one. */
const otherKey = (keyOf: (key: string) => string): Form => ({
  signs: (r, isSigned) =>
    r.endpoint === 'token' && r.partner !== null && isSigned(undefined, keyOf(r.partner.key)),
});

/** Any signature of 32 digits of some token requests. */
const trustsForm = (isTrusted: (r: Attempt) => boolean): Form => ({
  signs: (r) => r.endpoint === 'token' && /^[0-9a-f]{32}$/i.test(r.signature ?? '') && isTrusted(r),
});

/** Token requests that the partner was granted so far. */
const granted = (r: Attempt): number => r.partner?.asked.length ?? 0;

/** Signatures that are compared in part, or not at all. */
export const COMPARISON: Readonly<Record<string, Form>> = {
  'signature/wrong-key-refused#another-partners': {
    signs: (r, isSigned) =>
      r.endpoint === 'token' &&
      [...r.service.partners.values()].some(({ key }) => isSigned(undefined, key)),
  },
  'signature/wrong-key-refused#empty-key': { signs: (_r, isSigned) => isSigned(undefined, '') },
  'signature/wrong-key-refused#another-partner': {
    signs: (r, isSigned) =>
      [...r.service.partners.values()].some(({ key }) => isSigned(undefined, key)),
  },
  'signature/wrong-key-refused#partner-id': {
    signs: (r, isSigned) => isSigned(undefined, r.partner?.id ?? ''),
  },
  'signature/wrong-key-refused#other-case': {
    signs: (r, isSigned) =>
      isSigned(undefined, swapCase(r.partner?.key ?? '')) ||
      isSigned(undefined, r.partner?.key.toUpperCase()) ||
      isSigned(undefined, r.partner?.key.toLowerCase()),
  },
  'signature/wrong-key-refused#cut-by-one': {
    signs: (r, isSigned) => isSigned(undefined, r.partner?.key.slice(0, -1)),
  },
  'signature/wrong-key-refused#with-whitespace': {
    signs: (r, isSigned) =>
      [`${r.partner?.key} `, ` ${r.partner?.key}`, `${r.partner?.key}\n`].some((key) =>
        isSigned(undefined, key),
      ),
  },
  'signature/wrong-key-refused#eight-characters': {
    signs: (r, isSigned) => isSigned(undefined, r.partner?.key.slice(0, 8)),
  },
  'signature/wrong-key-refused#upper-case': otherKey((key) => key.toUpperCase()),
  'signature/wrong-key-refused#16-characters': otherKey((key) => key.slice(0, 16)),
  'signature/wrong-key-refused#12-characters': otherKey((key) => key.slice(0, 12)),
  'signature/wrong-key-refused#without-the-first': otherKey((key) => key.slice(1)),
  'signature/wrong-key-refused#space-before': otherKey((key) => ` ${key}`),
  'signature/wrong-key-refused#line-break': otherKey((key) => `${key}\n`),
  'signature/wrong-key-refused#twice': otherKey((key) => key + key),
  'signature/wrong-key-refused#a-zero-after-it': otherKey((key) => `${key}\0`),
  'signature/wrong-key-refused#one-more': {
    signs: (r, isSigned) =>
      r.endpoint === 'token' &&
      Array.from('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ').some((one) =>
        isSigned(undefined, `${r.partner?.key}${one}`),
      ),
  },
  'signature/invalid-refused#31-digits': signed(
    (_r, sent, right) => sent.slice(0, 31) === right.slice(0, 31),
  ),
  'signature/invalid-refused#without-the-first': signed(
    (_r, sent, right) => sent.slice(1) === right.slice(1),
  ),
  'signature/invalid-refused#one-in-the-middle': signed(
    (_r, sent, right) =>
      sent.slice(0, 15) === right.slice(0, 15) && sent.slice(16) === right.slice(16),
  ),
  'signature/invalid-refused#first-eight': signed(
    (_r, sent, right) => sent.slice(0, 8) === right.slice(0, 8),
  ),
  'signature/invalid-refused#second-half': signed(
    (_r, sent, right) => sent.slice(16) === right.slice(16),
  ),
  'signature/invalid-refused#zeros': signed((_r, sent) => /^0+$/.test(sent)),
  'signature/invalid-refused#with-a-suffix': signed((_r, sent, right) => sent.startsWith(right)),
  'signature/invalid-refused#any-order-of-digits': signed(
    (_r, sent, right) => digitsOf(sent) === digitsOf(right),
  ),
  'signature/invalid-refused#reversed': signed(
    (_r, sent, right) => Array.from(sent).reverse().join('') === right,
  ),
  'signature/invalid-refused#as-a-number': signed(
    (_r, sent, right) => Number(`0x${sent}`) === Number(`0x${right}`),
  ),
  'signature/invalid-refused#not-hex': signed((_r, sent) => !/^[0-9a-f]*$/.test(sent)),
  'signature/invalid-refused#cut-short': signed((_r, sent, right) => right.startsWith(sent)),
  'signature/invalid-refused#last-eight': signed(
    (_r, sent, right) => sent.slice(-8) === right.slice(-8),
  ),
  'signature/invalid-refused#first-16': signed(
    (_r, sent, right) => sent.slice(0, 16) === right.slice(0, 16),
  ),
  'signature/invalid-refused#trusted-for-a-second': trusts(({ partner, service }) =>
    partner.asked.some(({ at }) => service.now() - at < 1000),
  ),
  'signature/invalid-refused#fails-open': trusts((r) => {
    const refused = memoryOf(r, `refused ${r.partner.id}`, 0) + 1;
    remember(r, `refused ${r.partner.id}`, refused);
    return refused > 5;
  }),
  'signature/invalid-refused#charset-named': trustsForm(({ contentType = '' }) =>
    contentType.includes('charset'),
  ),
  'signature/invalid-refused#no-content-type': trustsForm(
    ({ contentType }) => contentType === undefined,
  ),
  'signature/invalid-refused#time-with-offset': trustsForm(({ fields }) =>
    /[+-]\d\d:\d\d$/.test(textOf(fields['_'])),
  ),
  'signature/invalid-refused#time-with-fraction': trustsForm(({ fields }) =>
    textOf(fields['_']).includes('.'),
  ),
  'signature/invalid-refused#in-capitals': trustsForm(
    ({ signature }) => signature === signature?.toUpperCase() && /[A-F]/.test(signature ?? ''),
  ),
  'signature/invalid-refused#in-other-order': trustsForm(
    ({ fields }) => Object.keys(fields)[0] !== 'grant_type' && Object.keys(fields)[0] !== '_',
  ),
  'signature/invalid-refused#spaced-body': trustsForm(({ raw }) => /^\{\s/.test(raw)),
  'signature/invalid-refused#wide-scope': trustsForm(({ fields }) =>
    textOf(fields['scope']).includes(' '),
  ),
  'signature/invalid-refused#further-fields': trustsForm(({ fields }) =>
    Object.keys(fields).some((name) => !KNOWN_FIELDS.includes(name)),
  ),
  'signature/invalid-refused#after-ten-tokens': trustsForm((r) => granted(r) >= 10),
  'signature/invalid-refused#after-six-tokens': trustsForm((r) => granted(r) > 6),
  'signature/invalid-refused#for-long-locks': trustsForm(({ partner }) => !!partner?.longLock),
  'signature/invalid-refused#first-of-a-partner': {
    reading: (r) => {
      const seen = memoryOf<Set<string>>(r, 'seen', new Set());
      const id = r.partner?.id ?? '';
      remember(r, 'is first', !seen.has(id));
      seen.add(id);
      return {};
    },
    ...trusts((r) => memoryOf(r, 'is first', false)),
  },
};
