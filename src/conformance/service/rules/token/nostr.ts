import type { Check } from '../../contract/check.ts';
import { refusals } from '../../contract/templates.ts';
import { withoutField } from './without-field.ts';

const nostrLength = refusals({
  rule: 'token/nostr-length',
  baseRequest: 'platform',
  refusedAs: 'field-invalid',
  alsoOn: ['refresh'],
  count: 2,
  variants: (ctx) =>
    [5, 7].map((length) => ({
      wrong: `a nostr of ${length} characters`,
      fields: ctx.base({ nostr: ctx.random.nostr(length) }),
    })),
});

const nostrAlphabet = refusals({
  rule: 'token/nostr-alphabet',
  baseRequest: 'platform',
  refusedAs: 'field-invalid',
  alsoOn: ['refresh'],
  count: 6,
  metered: 3,
  variants: (ctx) =>
    ['-', 'é', '_', '１', ' ', '中'].map((strange) => {
      const text = ctx.random.nostr(5);
      return {
        wrong: `a nostr of 6 characters, one of them ${JSON.stringify(strange)}`,
        fields: ctx.base({ nostr: text.slice(0, 3) + strange + text.slice(3) }),
      };
    }),
});

const nostrCase = refusals({
  rule: 'token/nostr-case',
  baseRequest: 'platform',
  alsoOn: ['refresh'],
  count: 1,
  unless: (facts) =>
    facts.tokenFields === 'all' || facts.tokenFields.includes('nostr')
      ? undefined
      : 'the profile leaves nostr out of the signed fields, so its change of case does not show',
  variants: (ctx) => {
    const fields = ctx.base();
    const signed = { ...fields, nostr: swapCase(String(fields['nostr'])) };
    return [{ wrong: 'a nostr whose letters changed their case after signing', fields, signed }];
  },
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
