import type { Check } from '../../contract/check.ts';
import { refusals } from '../../contract/templates.ts';
import { withoutField } from './without-field.ts';

const nostrLength = refusals({
  rule: 'token/nostr-length',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  refusedAs: 'field-invalid',
  variants: [5, 7].map((length) => [
    `a nostr of ${length} characters`,
    (ctx) => ({ fields: ctx.base({ nostr: ctx.random.nostr(length) }) }),
  ]),
});

const nostrAlphabet = refusals({
  rule: 'token/nostr-alphabet',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  refusedAs: 'field-invalid',
  metered: 3,
  variants: ['-', 'é', '_', '１', ' ', '中'].map((strange) => [
    `a nostr of 6 characters, one of them ${JSON.stringify(strange)}`,
    (ctx) => {
      const text = ctx.random.nostr(5);
      return { fields: ctx.base({ nostr: text.slice(0, 3) + strange + text.slice(3) }) };
    },
  ]),
});

const nostrCase = refusals({
  rule: 'token/nostr-case',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  unless: ({ tokenFields }) =>
    tokenFields === 'all' || tokenFields.includes('nostr')
      ? undefined
      : 'the profile leaves nostr out of the signed fields, so its change of case does not show',
  variants: [
    [
      'a nostr whose letters changed their case after signing',
      (ctx) => {
        const fields = ctx.base();
        return { fields, signed: { ...fields, nostr: swapCase(String(fields['nostr'])) } };
      },
    ],
  ],
});

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
}

/** Checks of the field `nostr` (interface.md, "Token request body"). */
export const nostrChecks: readonly Check[] = [
  withoutField('token/nostr-required', 'nostr'),
  nostrLength,
  nostrAlphabet,
  nostrCase,
];
