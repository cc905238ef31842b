import { type Check, type CheckContext, placeOn } from '../../contract/check.ts';
import { accepted, judgeRefusals, type Negative, Untestable } from '../../contract/judge.ts';
import type { Fields, TokenAttempt } from '../../contract/messages.ts';
import { partId } from '../../contract/parts.ts';
import { checkOf } from '../../contract/templates.ts';

const RULE = 'signature/covers-fields';

const isSigned = ({ facts }: CheckContext, field: string): boolean =>
  facts.tokenFields === 'all' || facts.tokenFields.includes(field);

/** A request that is altered after signing, sent once a right one was accepted. */
async function judgeAfterRightOne(ctx: CheckContext): ReturnType<Check['run']> {
  const negatives: Negative[] = [];
  const send = async (wrong: string, attempt: Omit<TokenAttempt, 'purpose'>): Promise<void> => {
    negatives.push({
      wrong,
      answer: await ctx.token({ ...attempt, expects: 'refused', purpose: `negative: ${wrong}` }),
    });
  };
  const sendRight = async (connection?: string): Promise<[Fields, string]> => {
    const fields = ctx.base();
    const purpose = 'baseline: a right request before it';
    accepted(
      await ctx.token({ purpose, expects: 'accepted', fields, connection }),
      'the right request before it was not accepted',
    );
    return [fields, ctx.sign(fields)];
  };
  const connection = `${RULE} ${ctx.id}`;
  const [earlier, signature] = await sendRight(connection);
  const fields = ctx.base();
  const signed = { ...fields, nostr: ctx.random.nostr() };
  await send('nostr altered after signing, on the connection of a right request', {
    fields,
    signed,
    connection,
  });
  await send('the signature of an earlier request', { fields: ctx.base(), signature });
  // Its nostr is known by then, and perhaps its signature no longer looked at.
  if (isSigned(ctx, '_'))
    await send('an earlier request with another _', {
      fields: { ...earlier, _: ctx.timestamp(7) },
      signature,
    });
  return (baseline) => judgeRefusals(negatives, baseline);
}

/**
 * The same by one request that has all of it: the connection of a right request, its nostr and its
 * signature, with another `_`.
 */
async function judgeTrust(ctx: CheckContext): ReturnType<Check['run']> {
  if (!isSigned(ctx, '_')) throw new Untestable('the profile leaves _ out of the signed fields');
  const connection = `${RULE} ${ctx.id}`;
  const fields = ctx.base();
  const opening = accepted(
    await ctx.token({
      purpose: 'baseline: a right request before it',
      expects: 'accepted',
      fields,
      connection,
    }),
    'the right request before it was not accepted',
  );
  const wrong = 'an earlier request with another _, on its connection and with its signature';
  const answer = await ctx.token({
    expects: 'refused',
    purpose: `negative: ${wrong}`,
    fields: { ...fields, _: ctx.timestamp(7) },
    signature: ctx.sign(fields),
    connection,
  });
  return ({ closing }) => judgeRefusals([{ wrong, answer }], { opening, closing });
}

/** The further part of a metered target. */
export const partOfHistory: Check = {
  ...checkOf({ rule: RULE, baseRequest: 'platform', spends: { platform: 2 }, run: judgeTrust }),
  id: `${partId(RULE, placeOn('platform'))}:trust`,
};

/** Checks of what a service may trust after a right signature: its connection, or the signature. */
export const checksOfHistory: readonly Check[] = [
  checkOf({
    rule: RULE,
    baseRequest: 'platform',
    spends: { platform: 4 },
    run: judgeAfterRightOne,
  }),
].map((check) => ({ ...check, id: `${partId(RULE, check.places[0])}:history` }));
