import type { Form } from '../../form.ts';
import { trim } from '../../reading-signature.ts';
import { textOf } from '../../state.ts';
import { KNOWN_FIELDS } from '../../style.ts';
import { read, refuse } from '../builders.ts';
import { escaped } from './pairs.ts';

const encode = (textFor: (text: string) => string): Form =>
  read({ encode: (text) => Buffer.from(textFor(text), 'utf8') });

const strip = (textFor: (joined: string) => string): Form => read({ strip: textFor });

const value = (textFor: (text: string) => string): Form =>
  read({ trimValue: (text) => trim(textFor(trim(text))) });

/**
 * Steps of the signature that are misread:
 * the bytes of a text and the ends of the joined terms.
 */
export const TEXT: Readonly<Record<string, Form>> = {
  'signature/utf8#latin-1-where-it-fits': read({
    encode: (text) => Buffer.from(text, /[^\u0000-\u00ff]/.test(text) ? 'utf8' : 'latin1'),
  }),
  'signature/utf8#utf-16': read({
    encode: (text) => Buffer.from(text, /[^ -~]/.test(text) ? 'utf16le' : 'utf8'),
  }),
  'signature/utf8#composed': encode((text) => text.normalize('NFC')),
  'signature/utf8#decomposed': encode((text) => text.normalize('NFD')),
  'signature/utf8#compatible': encode((text) => text.normalize('NFKC')),
  'signature/utf8#surrogates': encode((text) => text.replace(/[\ud800-\udfff]/g, '?')),
  'signature/utf8#three-bytes-at-most': encode((text) =>
    text.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'),
  ),
  'signature/utf8#question-marks': encode((text) => text.replace(/[^ -~]/g, '?')),
  'signature/utf8#dropped': encode((text) => text.replace(/[^ -~]/g, '')),
  'signature/utf8#escaped': encode(escaped),
  'signature/utf8#percent-encoded': encode((text) =>
    text.replace(/[^ -~]+/gu, (some) =>
      Buffer.from(some).toString('hex').replace(/../g, '%$&').toUpperCase(),
    ),
  ),
  'signature/utf8#entities': encode((text) =>
    text.replace(/[^ -~]/gu, (one) => `&#${one.codePointAt(0)};`),
  ),
  'signature/utf8#lower-case': encode((text) =>
    text.replace(/[^ -~]+/g, (some) => some.toLowerCase()),
  ),
  'signature/utf8#twice': encode((text) => Buffer.from(text, 'utf8').toString('latin1')),
  'signature/utf8#names-only': read({ trimName: (name) => trim(name).replace(/[^ -~]/g, '') }),
  'signature/utf8#zero-width-dropped': encode((text) => text.replace(/[\u200b-\u200d\ufeff]/g, '')),
  'signature/utf8#right-to-left-reversed': encode((text) =>
    text.replace(/\p{Script=Arabic}+/gu, (some) => Array.from(some).reverse().join('')),
  ),
  'signature/utf8#full-width-folded': encode((text) =>
    text.replace(/[\uff01-\uff5e]/g, (one) => String.fromCharCode(one.charCodeAt(0) - 0xfee0)),
  ),
  'signature/ampersands-stripped#leading-only': strip((joined) => joined.replace(/^&+/, '')),
  'signature/ampersands-stripped#trailing-only': strip((joined) => joined.replace(/&+$/, '')),
  'signature/ampersands-stripped#one-at-each-end': strip((joined) => joined.replace(/^&|&$/g, '')),
  'signature/ampersands-stripped#inside-too': strip((joined) => joined.replaceAll('&', '')),
  'signature/ampersands-stripped#doubled-inside': strip((joined) =>
    joined.replace(/^&+|&+$/g, '').replace(/&{2,}/g, '&'),
  ),
  'signature/ampersands-stripped#of-each-term': read({
    term: (name, text) => `${name}=${text}`.replace(/^&+|&+$/g, ''),
  }),
  'signature/ampersands-stripped#of-each-value': read({
    trimValue: (text) => trim(text).replace(/^&+|&+$/g, ''),
  }),
  'signature/ampersands-stripped#encoded-inside': read({
    trimValue: (text) => trim(text).replaceAll('&', '%26'),
    strip: (joined) => joined.replace(/^&+|(%26)+$/g, ''),
  }),
  'signature/ampersands-stripped#equals-too': strip((joined) =>
    joined.replace(/^[&=]+|[&=]+$/g, ''),
  ),
  'signature/ampersands-stripped#entity': strip((joined) =>
    joined.replaceAll('&amp;', '&').replace(/^&+|&+$/g, ''),
  ),
  'signature/valid-accepted#plus-as-space': value((text) => text.replaceAll('+', ' ')),
  'signature/valid-accepted#leading-zeros-lost': read({
    digits: (hex) => hex.replace(/^0+/, ''),
  }),
  'signature/valid-accepted#query-decoded-twice': {
    reading: (r) =>
      r.endpoint === 'estimate' ? { trimValue: (text) => trim(text.replaceAll('+', ' ')) } : {},
  },
  'signature/valid-accepted#percent-decoded': value((text) =>
    text.replace(/%([0-7][0-9a-f])/gi, (_all, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
  ),
  'signature/valid-accepted#html-escaped': value((text) =>
    text.replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ),
  'signature/valid-accepted#cut-at-equals': value((text) => text.split('=')[0] ?? ''),
  'signature/valid-accepted#backslashes-doubled': value((text) => text.replaceAll('\\', '\\\\')),
  'signature/valid-accepted#lower-case': value((text) => text.toLowerCase()),
  'signature/valid-accepted#quotes-dropped': value((text) => text.replaceAll('"', '')),
  'signature/valid-accepted#cut-at-255': value((text) => text.slice(0, 255)),
  'signature/valid-accepted#cut-at-hash': value((text) => text.split('#')[0] ?? ''),
  'signature/valid-accepted#numbers-as-floats': read({
    spell: (some) => (typeof some === 'number' && some !== 0 ? some.toFixed(1) : textOf(some)),
  }),
  'signature/valid-accepted#numbers-of-32-bits': read({
    spell: (some) => (typeof some === 'number' ? String(some | 0) : textOf(some)),
  }),
  'signature/valid-accepted#only-six-fields': read({
    isEmpty: (some, name) => some === '' || some === null || !KNOWN_FIELDS.includes(name),
  }),
  'signature/valid-accepted#leading-zeros-dropped': value((text) => text.replace(/^0+(?=\d)/, '')),
  'signature/valid-accepted#bytes-unpadded': refuse(
    'signature',
    (r) => r.endpoint === 'token' && /^(..)*0/.test(r.signature ?? ''),
  ),
};
