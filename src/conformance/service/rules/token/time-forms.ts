import { pass } from '../../../verdict.ts';
import type { Check } from '../../contract/check.ts';
import { accepts, answered, Inconclusive, Untestable } from '../../contract/judge.ts';
import type { Fields, TokenAnswer } from '../../contract/messages.ts';
import { partOf } from '../../contract/templates.ts';
import type { TimeForm } from '../../contract/time-forms.ts';

/** Offsets from UTC, and their forms. */
const OFFSETS: readonly (readonly [words: string, form: TimeForm])[] = [
  ['the offset +08:00', 'with +08:00'],
  ['the offset -05:00', 'with -05:00'],
  ['the offset +05:30', 'with +05:30'],
];

/** Other forms of a current time, each in words, and the seconds ago of some. */
export const TIMES_NOW: readonly (readonly [words: string, form: TimeForm, secondsAgo?: number])[] =
  [
    ...OFFSETS,
    // Within the last second, so that it never lies ahead.
    ['a fraction of a second', 'with the fraction .250', 1],
    ['the basic format', 'in the basic format'],
  ];

/** Exchanges that leave room for a well-formed one within the allowance. */
const MOST_EXCHANGES = 4;

/** A grant by which each form is sent. */
interface Grant {
  readonly name: string;
  readonly most: number;
  /** Body of a request with that time; left out, the usual one. */
  readonly body: (changes?: Fields) => Promise<Fields>;
}

/**
 * Current times in other forms of ISO 8601, on each grant. The interface names the standard, and leaves open
 * whether a service takes each of its forms. One that takes a form takes it on each grant, and one that
 * takes two offsets takes the third.
 */
export const formsOnEachGrant: Check = partOf({
  rule: 'token/timestamp-fresh',
  name: 'forms',
  circumstance: 'other forms of the current time',
  run: async (ctx) => {
    if (!/T\d\d:\d\d:\d\dZ$/.test(ctx.timestamp()))
      throw new Untestable(
        'the target refuses the usual form of a time, so it may take one form only',
      );
    const grants: readonly Grant[] = [
      {
        name: 'client_credentials',
        most: TIMES_NOW.length,
        body: async (one) => ctx.platform(one),
      },
      {
        name: 'refresh_token',
        most: TIMES_NOW.length,
        // After a refusal the same token is sent again: what it is compared with differs in its time only.
        body: async (one) => {
          const issued =
            ctx.refreshToken === '' ? await ctx.refreshable('a token to refresh') : ctx;
          return ctx.refresh(issued.refreshToken, one);
        },
      },
      {
        name: 'authorization_code',
        most: MOST_EXCHANGES,
        body: async (one) => ctx.exchange(await ctx.authCode(), one),
      },
    ];
    const takes = new Set<string>();
    const refused: { form: string; grant: Grant; answer: TokenAnswer }[] = [];
    for (const grant of grants) {
      for (const [form, spelled, secondsAgo] of TIMES_NOW.slice(0, grant.most)) {
        const right = `a current _ with ${form} (${grant.name})`;
        const fields = await grant.body({ _: ctx.timestamp(secondsAgo, spelled) });
        const answer = answered(await ctx.token({ purpose: right, fields }), right);
        if (answer.outcome === 'refused') refused.push({ form, grant, answer });
        else takes.add(form);
      }
    }
    const offsets = OFFSETS.map(([words]) => words);
    const mustBeTaken = (form: string): boolean =>
      takes.has(form) ||
      (offsets.includes(form) && offsets.filter((one) => takes.has(one)).length > 1);
    const breach = refused.find(({ form }) => mustBeTaken(form));
    if (breach) {
      const { form, grant, answer } = breach;
      const purpose = 'baseline: the current time in the usual form';
      const closing = await ctx.token({ purpose, fields: await grant.body(), wellFormed: true });
      const right = `a current _ with ${form} (${grant.name}), as a target takes that takes ${[...takes].join(' and ')}`;
      return accepts(right, answer, { opening: null, closing });
    }
    if (takes.size === 0) throw new Inconclusive('the target takes no other form of a time');
    return pass(`accepted on each grant: a current _ with ${[...takes].join('; with ')}`);
  },
});
