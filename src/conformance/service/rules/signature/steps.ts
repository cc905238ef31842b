import { inconclusive, pass, untestable, violated } from '../../../verdict.ts';
import type { TokenAnswer } from '../../contract/answer.ts';
import { describeAnswer } from '../../contract/answer.ts';
import type { Check, Finding } from '../../contract/check.ts';
import type { CheckContext } from '../../contract/context.ts';
import type { Fields } from '../../contract/request.ts';
import type { Facts } from '../../contract/target.ts';
import { EXTRA, joined, reading, withTerm } from './reading.ts';

const withExtra =
  (value: unknown) =>
  (ctx: CheckContext): Fields =>
    ctx.platform({ [EXTRA]: value });

const zeroKept = reading({
  rule: 'signature/zero-kept',
  right: 'a request with a further field whose value is the number 0',
  fields: withExtra(0),
  wrong: [['without it', (fields) => withTerm(fields, EXTRA, null)]],
  neutral: withExtra(1),
  neutralWords: 'the same request with the number 1 there',
  neutralDecides: true,
});

const utf8 = reading({
  rule: 'signature/utf8',
  right: 'a request with a further field of non-ASCII text',
  fields: withExtra('首都机场 Zürich'),
  wrong: [],
  neutral: withExtra('airport Zurich'),
  neutralWords: 'the same request with ASCII text there',
  neutralDecides: true,
});

const LIST = ['首都', 'two words', 3];
const asciiEscapes = (text: string): string =>
  text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const arrayJson = reading({
  rule: 'signature/array-json',
  right: 'a request with a further field that is a list',
  fields: withExtra(LIST),
  wrong: [
    ['with the list joined by commas', (fields) => withTerm(fields, EXTRA, LIST.join(','))],
    [
      'with the list as JSON in ASCII escapes',
      (fields) => withTerm(fields, EXTRA, asciiEscapes(JSON.stringify(LIST))),
    ],
    [
      'with the list as JSON with spaces',
      (fields) => withTerm(fields, EXTRA, JSON.stringify(LIST).replaceAll(',', ', ')),
    ],
    [
      'with the list as JSON with spaces, in ASCII escapes',
      (fields) => withTerm(fields, EXTRA, asciiEscapes(JSON.stringify(LIST)).replaceAll(',', ', ')),
    ],
    ['without the list', (fields) => withTerm(fields, EXTRA, null)],
    ['with the text Array for the list', (fields) => withTerm(fields, EXTRA, 'Array')],
    [
      'with the list in single quotes',
      (fields) => withTerm(fields, EXTRA, "['首都', 'two words', 3]"),
    ],
  ],
  neutral: withExtra('[1]'),
  neutralWords: 'the same request with text there',
  neutralDecides: false,
});

const termsOf = (fields: Fields, term: (key: string, value: string) => string): string =>
  joined(Object.entries(fields).map(([key, value]) => term(key, String(value))));

const trimmed = reading({
  rule: 'signature/trimmed',
  right: 'a request with a further field whose key and value have whitespace around them',
  // Sorted trimmed or not, this key comes first: the order of sorting is not at stake here.
  fields: (ctx) => ctx.platform({ ' Aa\t': ' \tspaced out ' }),
  wrong: [
    ['with nothing trimmed', (fields) => termsOf(fields, (key, value) => `${key}=${value}`)],
    [
      'with the key alone trimmed',
      (fields) => termsOf(fields, (key, value) => `${key.trim()}=${value}`),
    ],
    [
      'with the value alone trimmed',
      (fields) => termsOf(fields, (key, value) => `${key}=${value.trim()}`),
    ],
    [
      'with S trimmed as a whole',
      (fields) => termsOf(fields, (key, value) => `${key}=${value}`).trim(),
    ],
  ],
  neutral: (ctx) => ctx.platform({ Aa: 'spaced out' }),
  neutralWords: 'the same request without the whitespace',
  neutralDecides: false,
});

const plainTerms = (fields: Fields): string => termsOf(fields, (key, value) => `${key}=${value}`);

const ampersandsStripped = reading({
  rule: 'signature/ampersands-stripped',
  right: 'a request whose joined terms start and end with &',
  fields: (ctx) => ctx.platform({ '&&aa': 'first', zz: 'last&&' }),
  wrong: [
    ['with the ampersands left', plainTerms],
    ['with the leading ones alone stripped', (fields) => plainTerms(fields).replace(/^&+/, '')],
    ['with the trailing ones alone stripped', (fields) => plainTerms(fields).slice(0, -2)],
    ['with one stripped at each end', (fields) => plainTerms(fields).slice(1, -1)],
  ],
  neutral: (ctx) => ctx.platform({ aa: 'first', zz: 'last' }),
  neutralWords: 'the same request without those ampersands',
  neutralDecides: false,
});

const keyOrder: Check = {
  id: 'signature/key-order',
  rules: ['signature/key-order'],
  baseRequest: 'platform',
  priority: 1,
  spends: (facts) => ({ platform: facts.metered ? 3 : 4 }),
  run: async (ctx) => {
    const orders = [
      ['reversed', (a: string, b: string) => (a < b ? 1 : -1)],
      [
        'grant_type first',
        (a: string, b: string) => Number(b === 'grant_type') - Number(a === 'grant_type'),
      ],
    ] as const;
    for (const [name, compare] of orders) {
      const fields = ordered(ctx.platform({ scope: 'public' }), compare);
      const answer = await ctx.token({ purpose: `positive: fields of the body ${name}`, fields });
      if (answer.outcome === 'accepted') continue;
      if (answer.outcome === 'broken') return inconclusive(`no answer: ${answer.failure}`);
      return explainOrder(ctx, name, compare, answer);
    }
    return pass(
      'accepted whatever the order of the fields in the body, signed in the order of their keys',
    );
  },
};

function ordered(fields: Fields, compare: (a: string, b: string) => number): Fields {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => compare(a, b)));
}

async function explainOrder(
  ctx: CheckContext,
  name: string,
  compare: (a: string, b: string) => number,
  refused: TokenAnswer,
): Promise<Finding> {
  const expected =
    'status 200 for a request whose fields stand in another order, signed sorted by key';
  if (!ctx.facts.metered) {
    const fields = ordered(ctx.platform({ scope: 'public' }), compare);
    const signedText = joined(Object.entries(fields).map(([k, v]) => `${k}=${String(v)}`));
    const answer = await ctx.token({
      purpose: 'the same, signed in the order of the body',
      fields,
      signedText,
    });
    if (answer.outcome === 'accepted') {
      return violated(
        expected,
        `it is refused with status ${refused.status}, and accepted when signed in the order of the body`,
        refused.exchange,
      );
    }
  }
  const sorted = await ctx.token({
    purpose: 'baseline: the same fields sorted',
    fields: ctx.platform({ scope: 'public' }),
    wellFormed: true,
  });
  if (sorted.outcome !== 'accepted') {
    return inconclusive(
      `refused, but so is the same request with its fields sorted (${describeAnswer(sorted)})`,
    );
  }
  return violated(
    expected,
    `with its fields ${name} it is refused with status ${refused.status}, with its fields sorted it is accepted`,
    refused.exchange,
  );
}

/** An empty field may be refused for itself: then only a request signed with it tells the two apart. */
const emptySkipped: Check = {
  id: 'signature/empty-skipped',
  rules: ['signature/empty-skipped'],
  baseRequest: 'platform',
  priority: 2,
  unless: (facts) =>
    emptyFields(facts).length > 0
      ? undefined
      : 'the profile names no optional signed field that can be sent empty',
  spends: (facts) => ({ platform: 2 * emptyFields(facts).length }),
  run: async (ctx) => {
    const names = emptyFields(ctx.facts);
    for (const name of names) {
      const fields = ctx.platform({ [name]: '' });
      const skipped = await ctx.token({ purpose: `positive: ${name} empty, not signed`, fields });
      if (skipped.outcome === 'accepted')
        return pass(`accepted with ${name} empty and not in the signature`);
      const again = ctx.platform({ [name]: '' });
      const kept = await ctx.token({
        purpose: `the same, signed with the term ${name}=`,
        fields: again,
        signedText: withTerm(again, name, ''),
      });
      if (kept.outcome === 'accepted') {
        return violated(
          `status 200 for a request with ${name} empty, signed without it`,
          `it is refused with status ${skipped.status}, and accepted when signed with the term ${name}=`,
          skipped.exchange,
        );
      }
    }
    const reason = `an empty ${names.join(', or an empty ')} is refused, signed with it or without`;
    return ctx.facts.tokenFields === 'all' ? inconclusive(reason) : untestable(reason);
  },
};

function emptyFields(facts: Facts): readonly string[] {
  if (facts.tokenFields === 'all') return facts.metered ? [EXTRA] : ['scope', EXTRA];
  const optional = ['scope', 'refresh_token', 'auth_code'];
  const named = optional.filter((name) => facts.tokenFields.includes(name));
  return facts.metered ? named.slice(0, 1) : named;
}

/** Checks of the steps that lead to the signature (interface.md, "Signature algorithm"). */
export const stepChecks: readonly Check[] = [
  keyOrder,
  emptySkipped,
  zeroKept,
  trimmed,
  arrayJson,
  utf8,
  ampersandsStripped,
];
