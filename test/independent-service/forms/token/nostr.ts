import type { Form } from '../../form.ts';
import { textOf } from '../../state.ts';
import { forgive, refuse, swapCase } from '../builders.ts';

const nostr = (pattern: RegExp): Form =>
  forgive('nostr-alphabet', (_r, text) => pattern.test(text));

/** Texts that are no nostr, or a nostr in another case. */
export const NOSTR: Readonly<Record<string, Form>> = {
  'token/nostr-required#empty': forgive('nostr-length', (_r, text) => text === ''),
  'token/nostr-required#null': forgive('nostr-length', (r) => r.fields['nostr'] === null),
  'token/nostr-alphabet#digits-refused': refuse('nostr', (r) =>
    /^\d+$/.test(textOf(r.fields['nostr'] ?? '')),
  ),
  'token/nostr-length#longer': forgive('nostr-length', (_r, text) => text.length > 6),
  'token/nostr-length#much-longer': forgive('nostr-length', (_r, text) => text.length > 20),
  'token/nostr-length#shorter': forgive('nostr-length', (_r, text) => text.length < 6),
  'token/nostr-length#one': forgive('nostr-length', (_r, text) => text.length === 1),
  'token/nostr-length#eight': forgive('nostr-length', (_r, text) => text.length === 8),
  'token/nostr-length#spaces-counted-out': forgive(
    'nostr-length',
    (_r, text) => text.trim().length === 6,
  ),
  'token/nostr-length#number': forgive(
    'nostr-length',
    (r) => typeof r.fields['nostr'] === 'number',
  ),
  'token/nostr-length#line-break-after': {
    forgives: (why, _r, text) => why.startsWith('nostr-') && /^[0-9A-Za-z]{6}\n$/.test(text),
  },
  ...Object.fromEntries(
    Object.entries({
      hyphen: /^[\w-]{6}$/,
      underscore: /^\w{6}$/,
      space: /^[0-9A-Za-z ]{6}$/,
      'latin-letters': /^[0-9\p{Script=Latin}]{6}$/u,
      'any-letter': /^[0-9\p{L}]{6}$/u,
      'any-digit': /^[\p{Nd}A-Za-z]{6}$/u,
      dot: /^[0-9A-Za-z.]{6}$/,
      plus: /^[0-9A-Za-z+/=]{6}$/,
      'line-break': /^[0-9A-Za-z]{5}\n$/,
      punctuation: /^[!-~]{6}$/,
      dollar: /^[0-9A-Za-z$]{6}$/,
      emoji: /^[0-9A-Za-z\p{So}]+$/u,
    }).map(([name, pattern]) => [
      `token/nostr-alphabet#${name}`,
      forgive('nostr-alphabet', (_r, text) => pattern.test(text)),
    ]),
  ),
  'token/nostr-alphabet#range-from-A-to-z': nostr(/^[0-9A-z]{6}$/),
  'token/nostr-alphabet#superscript': nostr(/^[0-9A-Za-z²³¹]{6}$/),
  'token/nostr-alphabet#unanchored': nostr(/[0-9A-Za-z]/),
  'token/nostr-alphabet#apostrophe': nostr(/^[0-9A-Za-z']{6}$/),
  'token/nostr-alphabet#cyrillic': nostr(/^[0-9A-Za-z\u0400-\u04ff]{6}$/),
  'token/nostr-alphabet#tab': nostr(/^[0-9A-Za-z\t]{6}$/),
  'token/nostr-case#lower-only': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' && isSigned({ ...pairs, nostr: textOf(pairs['nostr']).toLowerCase() }),
  },
  'token/nostr-case#upper-only': {
    signs: (r, isSigned, pairs) =>
      r.endpoint === 'token' && isSigned({ ...pairs, nostr: textOf(pairs['nostr']).toUpperCase() }),
  },
  'token/nostr-case#first-letter': {
    signs: (r, isSigned, pairs) => {
      const text = textOf(pairs['nostr']);
      return (
        r.endpoint === 'token' &&
        Array.from(text).some((_one, at) =>
          isSigned({
            ...pairs,
            nostr: text.slice(0, at) + swapCase(text.charAt(at)) + text.slice(at + 1),
          }),
        )
      );
    },
  },
};
