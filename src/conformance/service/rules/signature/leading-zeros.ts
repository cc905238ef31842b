import { hash } from 'node:crypto';
import { explainSignature, type SignatureExplanation } from '../../../../interface/signature.ts';
import { inconclusive, pass, violated } from '../../../verdict.ts';
import type { Check, CheckContext } from '../../contract/check.ts';
import { Untestable } from '../../contract/judge.ts';
import { describeAnswer, type Fields } from '../../contract/messages.ts';
import { partOf } from '../../contract/templates.ts';

/** A digest of the algorithm, and the signature by one that loses its leading zeros, as a large number is printed. */
type Digest = readonly [
  what: string,
  of: (made: SignatureExplanation) => string,
  cut: (made: SignatureExplanation, signingKey: string) => string,
];

const cutZeros = (digest: string): string => digest.replace(/^0+/, '');

const DIGESTS: readonly Digest[] = [
  ['MD5(S)', ({ innerMd5 }) => innerMd5, (made, key) => hash('md5', cutZeros(made.innerMd5) + key)],
  ['signature', ({ signature }) => signature, ({ signature }) => cutZeros(signature)],
];

/** Draws until a digest begins with 0: of a thousand, none does by a chance of 10^-28. */
const MOST_DRAWS = 1_000;

/**
 * Draws a platform token request of which a digest begins with 0.
 *
 * @throws Untestable if nothing that varies is signed
 */
function drawn(ctx: CheckContext, of: Digest[1]): [Fields, SignatureExplanation] {
  const { tokenFields } = ctx.facts;
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const fields = ctx.platform();
    const signed = Object.entries(fields).filter(
      ([name]) => tokenFields === 'all' || tokenFields.includes(name),
    );
    const made = explainSignature(Object.fromEntries(signed), ctx.signingKey);
    if (of(made).startsWith('0')) return [fields, made];
  }
  throw new Untestable('the profile leaves nostr out of the signed fields');
}

/** One request of sixteen has such a digest: other checks meet one only by chance. */
export const leadingZeros: Check = partOf({
  rule: 'signature/valid-accepted',
  name: 'leading-zeros',
  circumstance: 'digests that begin with 0',
  acceptance: 'demanded',
  run: async (ctx) => {
    const shown: string[] = [];
    for (const [what, of, cut] of DIGESTS) {
      const [fields, made] = drawn(ctx, of);
      const right = `a request whose ${what} begins with 0`;
      const first = await ctx.token({ purpose: `positive: ${right}`, expects: 'accepted', fields });
      shown.push(first.exchange);
      if (first.outcome === 'accepted') continue;
      const purpose = 'the same, signed without its leading zeros';
      const signature = cut(made, ctx.signingKey);
      const other = await ctx.token({ purpose, expects: 'refused', fields, signature });
      const got = `${describeAnswer(first)} for ${right}`;
      return other.outcome === 'accepted'
        ? violated(
            `${right} is accepted`,
            `${got}; signed without its leading zeros it was accepted`,
            other.exchange,
            [...shown, other.exchange],
          )
        : inconclusive(`${got}, and signed without its leading zeros it was not accepted`, shown);
    }
    return pass('requests whose MD5(S), and whose signature, begins with 0 succeeded', shown);
  },
});
