import {
  DEFAULT_SIGNATURE_SETTINGS,
  type SignatureSettings,
  sign,
} from '../../../interface/signature.ts';
import type { Answer } from '../contract/answer.ts';
import type { CheckContext } from '../contract/context.ts';
import type { Facts } from '../contract/target.ts';
import { EXTRA } from '../rules/signature/reading.ts';
import { pairsOf, signPairs } from '../target/signing.ts';
import { eitherWay, firstAccepted, type GapProbe, type Reading } from './probe.ts';

const signsFurtherFields = (facts: Facts): string | undefined =>
  facts.tokenFields === 'all'
    ? undefined
    : 'the profile lists tokenFields, so no further field enters the signature';

/** A platform request with a further field, signed under other settings. */
function sendSigned(
  ctx: CheckContext,
  value: unknown,
  settings: Partial<SignatureSettings>,
  words: string,
): Promise<Answer> {
  const fields = ctx.platform({ [EXTRA]: value });
  const all = { ...DEFAULT_SIGNATURE_SETTINGS, ...settings };
  const signature = sign(ctx.signedPairs(fields), ctx.signingKey, all);
  return ctx.token({ purpose: `gap: a further field, ${words}`, fields, signature });
}

const reading = <Value extends string>(
  ctx: CheckContext,
  value: Value,
  field: unknown,
  settings: Partial<SignatureSettings>,
  words: string,
): Reading<Value> => ({
  value,
  words,
  send: () => sendSigned(ctx, field, settings, words),
});

const booleans: GapProbe = {
  gaps: ['signed-booleans-and-objects'],
  baseRequest: 'platform',
  unless: signsFurtherFields,
  spends: () => ({ platform: 3 }),
  look: async (ctx) => {
    const seen = await firstAccepted(
      [
        reading(ctx, 'numeric', true, { booleans: 'numeric' }, 'true is signed as 1'),
        reading(ctx, 'literal', true, { booleans: 'literal' }, 'true is signed as true'),
      ],
      'a request with a further field that is true',
    );
    if ('unseen' in seen) return { seen: { 'signed-booleans-and-objects': seen } };
    const object = await sendSigned(ctx, { first: 1 }, {}, 'an object signed as its JSON');
    const words =
      object.outcome === 'accepted'
        ? 'an object as its JSON'
        : 'an object, signed as its JSON, is refused';
    const exchanges = [...(seen.exchanges ?? []), object.exchange];
    return {
      seen: {
        'signed-booleans-and-objects': { ...seen, words: `${seen.words}, ${words}`, exchanges },
      },
    };
  },
};

const textZero: GapProbe = {
  gaps: ['text-zero-signed'],
  baseRequest: 'platform',
  unless: signsFurtherFields,
  spends: () => ({ platform: 2 }),
  look: async (ctx) => ({
    seen: {
      'text-zero-signed': await firstAccepted(
        [
          reading(ctx, 'kept', '0', { textZero: 'kept' }, 'the text "0" is signed'),
          reading(ctx, 'skipped', '0', { textZero: 'skipped' }, 'the text "0" is left out'),
        ],
        'a request with a further field that is the text "0"',
      ),
    },
  }),
};

const slashInList: GapProbe = {
  gaps: ['slash-in-list'],
  baseRequest: 'platform',
  unless: signsFurtherFields,
  spends: () => ({ platform: 2 }),
  look: async (ctx) => ({
    seen: {
      'slash-in-list': await firstAccepted(
        [
          reading(ctx, 'escaped', ['a/b'], { slashInList: 'escaped' }, 'signed as \\/'),
          reading(ctx, 'plain', ['a/b'], { slashInList: 'plain' }, 'signed as /'),
        ],
        'a request with a further field that is a list with a slash',
      ),
    },
  }),
};

const hexCase: GapProbe = {
  gaps: ['signature-hex-case'],
  baseRequest: 'platform',
  spends: () => ({ platform: 1 }),
  look: async (ctx) => {
    let fields = ctx.platform();
    // Of digits alone a signature has no case.
    while (!/[a-f]/.test(ctx.sign(fields))) fields = ctx.platform();
    const signature = ctx.sign(fields).toUpperCase();
    const answer = await ctx.token({
      purpose: 'gap: a signature in upper case',
      fields,
      signature,
    });
    const accepted = { value: 'any', words: 'a signature in upper case is accepted' };
    const refused = {
      value: 'lower',
      words: `a signature in upper case is refused with status ${answer.status}`,
    };
    return { seen: { 'signature-hex-case': eitherWay(answer, accepted, refused) } };
  },
};

/** Text that has to be percent-encoded, whatever else does not. */
const PLACE = 'Summer Palace, gate 1/东';

const decodedOrEncoded: GapProbe = {
  gaps: ['estimate-signed-decoded-or-encoded'],
  baseRequest: 'user-estimate',
  unless: ({ estimateFields: fields }) =>
    fields === 'all' || fields.includes('to_name')
      ? undefined
      : 'the profile leaves to_name out of the signed parameters',
  look: async (ctx) => {
    const query = ctx.query({ to_name: PLACE });
    const encoded = Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, encodeURIComponent(value)]),
    );
    const send = (words: string, pairs: Readonly<Record<string, string>>) => (): Promise<Answer> =>
      ctx.estimate({
        purpose: `gap: a user estimate whose values were signed ${words}`,
        query,
        as: 'user',
        signature: signPairs(pairsOf(pairs, ctx.facts.estimateFields), ctx.signingKey),
      });
    const readings = [
      { value: 'decoded', words: 'the decoded values are signed', send: send('decoded', query) },
      {
        value: 'encoded',
        words: 'the values are signed as they are encoded in the query',
        send: send('encoded', encoded),
      },
    ];
    const what = 'a user estimate with a name that has to be encoded';
    return {
      seen: { 'estimate-signed-decoded-or-encoded': await firstAccepted(readings, what) },
    };
  },
};

/** Gaps of the signature (interface.md, "Signature algorithm"). */
export const signatureProbes: readonly GapProbe[] = [
  booleans,
  textZero,
  slashInList,
  hexCase,
  decodedOrEncoded,
];
