import { inconclusive, pass, untestable, violated } from '../../../verdict.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import { accepted, answered } from '../../contract/judge.ts';
import type { Fields } from '../../contract/messages.ts';
import type { Facts } from '../../contract/target.ts';
import { checkOf } from '../../contract/templates.ts';
import { EXTRA, stepCheck, termsOf, withTerm } from './step.ts';

const withExtra =
  (value: unknown) =>
  (ctx: CheckContext): Fields =>
    ctx.platform({ [EXTRA]: value });

const zeroKept = stepCheck({
  rule: 'signature/zero-kept',
  right: 'a request with a further field whose value is the number 0',
  fields: withExtra(0),
  otherReadings: [['without it', (fields) => withTerm(fields, EXTRA, null)]],
  neutral: ['the same request with the number 1 there', withExtra(1)],
  neutralDecides: true,
});

const utf8 = stepCheck({
  rule: 'signature/utf8',
  right: 'a request with a further field of non-ASCII text',
  fields: withExtra('首都机场 Zürich'),
  otherReadings: [],
  neutral: ['the same request with ASCII text there', withExtra('airport Zurich')],
  neutralDecides: true,
});

const LIST = ['首都', 'two words', 3];
const JSON_LIST = JSON.stringify(LIST);
const JSON_LIST_IN_ASCII = JSON_LIST.replace(
  /[\u0080-\uffff]/g,
  (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
);

const signedAs =
  (text: string | null) =>
  (fields: Fields): string =>
    withTerm(fields, EXTRA, text);

const arrayJson = stepCheck({
  rule: 'signature/array-json',
  right: 'a request with a further field that is a list',
  fields: withExtra(LIST),
  otherReadings: [
    ['with the list joined by commas', signedAs(LIST.join(','))],
    ['with the list as JSON in ASCII escapes', signedAs(JSON_LIST_IN_ASCII)],
    ['with the list as JSON with spaces', signedAs(JSON_LIST.replaceAll(',', ', '))],
    [
      'with the list as JSON with spaces, in ASCII escapes',
      signedAs(JSON_LIST_IN_ASCII.replaceAll(',', ', ')),
    ],
    ['without the list', signedAs(null)],
    ['with the text Array for the list', signedAs('Array')],
    ['with the list in single quotes', signedAs("['首都', 'two words', 3]")],
  ],
  neutral: ['the same request with text there', withExtra('[1]')],
  neutralDecides: false,
});

const trimmed = stepCheck({
  rule: 'signature/trimmed',
  right: 'a request with a further field whose key and value have whitespace around them',
  // Sorted trimmed or not, this key comes first: the order of sorting is not at stake here.
  fields: (ctx) => ctx.platform({ ' Aa\t': ' \tspaced out ' }),
  otherReadings: [
    ['with nothing trimmed', (fields) => termsOf(fields)],
    [
      'with the key only trimmed',
      (fields) => termsOf(fields, (key, value) => `${key.trim()}=${value}`),
    ],
    [
      'with the value only trimmed',
      (fields) => termsOf(fields, (key, value) => `${key}=${value.trim()}`),
    ],
    ['with S trimmed as a whole', (fields) => termsOf(fields).trim()],
  ],
  neutral: ['the same request without the whitespace', (ctx) => ctx.platform({ Aa: 'spaced out' })],
  neutralDecides: false,
});

const ampersandsStripped = stepCheck({
  rule: 'signature/ampersands-stripped',
  right: 'a request whose joined terms start and end with &',
  fields: (ctx) => ctx.platform({ '&&aa': 'first', zz: 'last&&' }),
  otherReadings: [
    ['with the ampersands left', (fields) => termsOf(fields)],
    ['with the leading ones only stripped', (fields) => termsOf(fields).replace(/^&+/, '')],
    ['with the trailing ones only stripped', (fields) => termsOf(fields).slice(0, -2)],
    ['with one stripped at each end', (fields) => termsOf(fields).slice(1, -1)],
  ],
  neutral: [
    'the same request without those ampersands',
    (ctx) => ctx.platform({ aa: 'first', zz: 'last' }),
  ],
  neutralDecides: false,
});

type Order = (a: string, b: string) => number;

const ORDERS: readonly (readonly [string, Order])[] = [
  ['reversed', (a, b) => (a < b ? 1 : -1)],
  ['grant_type first', (a, b) => Number(b === 'grant_type') - Number(a === 'grant_type')],
];

const inOrder = (ctx: CheckContext, order: Order): Fields =>
  Object.fromEntries(
    Object.entries(ctx.platform({ scope: 'public' })).sort(([a], [b]) => order(a, b)),
  );

const keyOrder = checkOf({
  rule: 'signature/key-order',
  baseRequest: 'platform',
  priority: 1,
  spends: (facts) => ({ platform: facts.metered ? 3 : 4 }),
  run: async (ctx) => {
    for (const [name, order] of ORDERS) {
      const purpose = `positive: fields of the body ${name}`;
      const answer = answered(await ctx.token({ purpose, fields: inOrder(ctx, order) }));
      if (answer.outcome === 'accepted') continue;
      return violated(
        'status 200 for a request whose fields stand in another order, signed sorted by key',
        await explainOrder(ctx, name, order, answer.status),
        answer.exchange,
      );
    }
    return pass(
      'accepted whatever the order of the fields in the body, signed in the order of their keys',
    );
  },
});

/** Shows that the order of the fields is the reason for a refusal. */
async function explainOrder(
  ctx: CheckContext,
  name: string,
  order: Order,
  status: number,
): Promise<string> {
  if (!ctx.facts.metered) {
    const fields = inOrder(ctx, order);
    const purpose = 'the same, signed in the order of the body';
    const answer = await ctx.token({ purpose, fields, signedText: termsOf(fields) });
    if (answer.outcome === 'accepted')
      return `it is refused with status ${status}, and accepted when signed in the order of the body`;
  }
  const purpose = 'baseline: the same fields sorted';
  const fields = ctx.platform({ scope: 'public' });
  accepted(
    await ctx.token({ purpose, fields, wellFormed: true }),
    'refused, but so is the same request with its fields sorted',
  );
  return `with its fields ${name} it is refused with status ${status}, with its fields sorted it is accepted`;
}

/** An empty field may be refused for itself: only a request signed with it tells the two apart. */
const emptySkipped = checkOf({
  rule: 'signature/empty-skipped',
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
      const signedText = withTerm(again, name, '');
      const purpose = `the same, signed with the term ${name}=`;
      const kept = await ctx.token({ purpose, fields: again, signedText });
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
});

function emptyFields({ tokenFields, metered }: Facts): readonly string[] {
  if (tokenFields === 'all') return metered ? [EXTRA] : ['scope', EXTRA];
  const named = ['scope', 'refresh_token', 'auth_code'].filter((one) => tokenFields.includes(one));
  return metered ? named.slice(0, 1) : named;
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
