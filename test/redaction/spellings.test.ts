import { expect, it } from 'vitest';
import { Redactor } from '../../src/redaction/index.ts';

type Spell = (text: string) => string;

const times = (count: number, spell: Spell): Spell =>
  count === 1 ? spell : (text) => spell(times(count - 1, spell)(text));

const each =
  (write: (code: number) => string): Spell =>
  (text) =>
    Array.from(text, (one) => write(one.codePointAt(0) ?? 0)).join('');

const hexOf = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const percent = each((code) => `%${hexOf(code, 2)}`);
const json: Spell = (text) => JSON.stringify(text).slice(1, -1);
const html: Spell = (text) => text.replace(/[&<>"'/+=]/g, (one) => `&#${one.charCodeAt(0)};`);
const base64: Spell = (text) => Buffer.from(text).toString('base64');
const base64url: Spell = (text) => Buffer.from(text).toString('base64url');
const hex: Spell = (text) => Buffer.from(text).toString('hex');
const pairs = (separator: string, before = ''): Spell => {
  return (text) =>
    hex(text)
      .match(/../g)!
      .map((pair) => before + pair)
      .join(separator);
};

/** Spellings by which a target may echo a secret, each readable by a decoder that anyone has. */
const SPELLINGS: Readonly<Record<string, Spell>> = {
  'as it is': (text) => text,
  'as JSON': json,
  'as JSON in JSON': times(2, json),
  'as JSON in JSON in JSON': times(3, json),
  'as JSON of PHP': (text) => json(text).replaceAll('/', '\\/'),
  'as \\u escapes': each((code) => `\\u${hexOf(code, 4)}`),
  'as \\u escapes in capitals': each((code) => `\\u${hexOf(code, 4).toUpperCase()}`),
  'as \\u escapes in JSON': (text) => json(each((code) => `\\u${hexOf(code, 4)}`)(text)),
  'as \\x escapes': each((code) => `\\x${hexOf(code, 2)}`),
  'as \\u{} escapes': each((code) => `\\u{${code.toString(16)}}`),
  'as \\U escapes': each((code) => `\\U${hexOf(code, 8)}`),
  'as octal escapes': each((code) => `\\${code.toString(8).padStart(3, '0')}`),
  'with backslashes that are not needed': (text) => text.replace(/[^a-z0-9]/gi, '\\$&'),
  'as decimal references': each((code) => `&#${code};`),
  'as decimal references with zeros': each((code) => `&#${String(code).padStart(7, '0')};`),
  'as decimal references without semicolons': each((code) => `&#${code} `.trimEnd()),
  'as hexadecimal references': each((code) => `&#x${code.toString(16)};`),
  'as hexadecimal references in capitals': each((code) => `&#X${hexOf(code, 4).toUpperCase()};`),
  'as named references': (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('/', '&sol;')
      .replaceAll('+', '&plus;')
      .replaceAll('=', '&equals;')
      .replaceAll('_', '&lowbar;')
      .replaceAll('.', '&period;'),
  'as references of references': (text) => html(text).replaceAll('&', '&amp;'),
  'as a component of a URL': encodeURIComponent,
  'as percents': percent,
  'as percents in capitals': (text) => percent(text).toUpperCase(),
  'as percents twice': times(2, percent),
  'as percents three times': times(3, percent),
  'as percents four times': times(4, percent),
  'as a component of a URL, four times': times(4, encodeURIComponent),
  'as %u escapes': each((code) => `%u${hexOf(code, 4)}`),
  'as percents in JSON': (text) => json(percent(text)),
  'as JSON in percents': (text) => percent(json(text)),
  'as references in percents': (text) => percent(html(text)),
  'as percents in references': (text) => each((code) => `&#${code};`)(encodeURIComponent(text)),
  'as JSON in a component of a URL in HTML': (text) => html(encodeURIComponent(json(text))),
  'as Base64': base64,
  'as Base64 for URLs': base64url,
  'as Base64 without padding': (text) => base64(text).replace(/=+$/, ''),
  'as Base64 after one byte': (text) => base64(`:${text}`),
  'as Base64 after two bytes': (text) => base64(`u:${text}`),
  'as Basic credentials': (text) => `Basic ${base64(`some-user:${text}`)}`,
  'as Base64 before other bytes': (text) => base64(`${text}, and what follows it`),
  'as Base64 of a header': (text) => base64(`Authorization: Bearer p-100|${text}\r\n`),
  'as Base64 in a path': (text) => `/path/${base64url(text)}/rest`,
  'as Base64 after one digit': (text) => `x${base64(text)}`,
  'as Base64 after two digits': (text) => `xy${base64(text)}`,
  'as Base64 after three digits': (text) => `xyz${base64url(text)}`,
  'as Base64 in percents': (text) => encodeURIComponent(base64(text)),
  'as Base64 in JSON of PHP': (text) => base64(text).replaceAll('/', '\\/'),
  'as a part of a JWT': (text) => `${base64url('{"alg":"none"}')}.${base64url(`{t:${text}}`)}.`,
  'as hex': hex,
  'as hex in capitals': (text) => hex(text).toUpperCase(),
  'as hex after a digit': (text) => `f${hex(text)}`,
  'as hex between other bytes': (text) => hex(`before ${text} after`),
  'as hex with colons': pairs(':'),
  'as hex with hyphens in capitals': (text) => pairs('-')(text).toUpperCase(),
  'as hex with spaces': pairs(' '),
  'as hex with commas': pairs(', '),
  'as hex in lines': pairs('\r\n'),
  'as hex after 0x': (text) => `0x${hex(text)}`,
  'as hex with 0x each': pairs(', ', '0x'),
  'as hex in groups of four': (text) => hex(text).replace(/.{4}(?=.)/g, '$& '),
  'as hex in percents': (text) => percent(hex(text)),
};

/** Parts of a secret that a target may show. */
const PARTS: Readonly<Record<string, Spell>> = {
  whole: (text) => text,
  'all but its first character': (text) => text.slice(1),
  'its middle': (text) => text.slice(text.length / 4, (text.length * 3) / 4),
  'its second half': (text) => text.slice(text.length / 2),
};

const SECRETS = [
  ['access_token', 'q7/Wz+9xTe=R_4m.Kd8Yb2LcVh0s'],
  ['access_token', '9f86d081884c7d659a2feaa0c55ad015'],
  ['signing_key', 'p&ss/w+rd<="\'x>{%41}\\n~Z9k'],
] as const;

it.each(Object.entries(SPELLINGS))('a secret is not shown %s, nor is a part of it', (_, spell) => {
  for (const [kind, secret] of SECRETS) {
    const redactor = new Redactor();
    redactor.add(kind, secret);
    for (const [what, part] of Object.entries(PARTS)) {
      const spelled = spell(part(secret));
      const shown = redactor.redact(`{"message": "no ${spelled} here"}`);
      expect([what, shown]).toEqual([what, expect.stringMatching(/\[(part of )?\w+ 1\]/)]);
      const longest = longestOf(spelled, shown);
      expect([what, longest]).toEqual([what, Math.min(longest, spell('1234567').length + 8)]);
    }
  }
});

/** Characters of the longest part of a text that another has too. */
function longestOf(text: string, other: string): number {
  let longest = 0;
  for (let start = 0; start + longest < text.length; start++) {
    while (start + longest < text.length && other.includes(text.slice(start, start + longest + 1)))
      longest++;
  }
  return longest;
}
