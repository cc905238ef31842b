import {
  DEFAULT_SIGNATURE_SETTINGS,
  type SignatureSettings,
  sign,
} from '../../../interface/signature.ts';
import { type CheckContext, type Needs } from '../contract/check.ts';
import type { Answer, Fields, TokenAnswer } from '../contract/messages.ts';
import { EXTRA } from '../rules/signature/witness.ts';
import { byOutcome, firstAccepted, type GapProbe, type GapProbes, type Variant } from './probe.ts';

const signsNamedFields: Needs['missing'] = ({ tokenFields }) =>
  tokenFields === 'all'
    ? undefined
    : 'the profile lists tokenFields, so no further field enters the signature';

/** Sends a platform request with further fields, signed under other settings. */
function sendSigned(
  ctx: CheckContext,
  further: Fields,
  settings: Partial<SignatureSettings>,
  words: string,
): Promise<TokenAnswer> {
  const fields = ctx.platform(further);
  const all = { ...DEFAULT_SIGNATURE_SETTINGS, ...settings };
  const signature = sign(ctx.signedPairs(fields), ctx.signingKey, all);
  return ctx.token({ purpose: `gap: a further field, ${words}`, fields, signature });
}

/** Variants of one setting: each value of it, and in words how the field is signed then. */
function variantsOf<Setting extends keyof SignatureSettings>(
  ctx: CheckContext,
  setting: Setting,
  further: Fields,
  words: readonly (readonly [SignatureSettings[Setting], string])[],
): Variant[] {
  return words.map(([value, how]) => ({
    value,
    words: how,
    send: () => sendSigned(ctx, further, { [setting]: value }, how),
  }));
}

/** Probes how true and an object enter the signature. */
const booleans: GapProbe = {
  baseRequest: 'platform',
  needs: { missing: signsNamedFields },
  spends: { platform: 3 },
  look: async (ctx) => {
    const variants = variantsOf(ctx, 'booleans', { [EXTRA]: true }, [
      ['numeric', 'true is signed as 1'],
      ['literal', 'true is signed as true'],
    ]);
    const found = await firstAccepted(variants, 'a request with a further field that is true');
    const object = await sendSigned(
      ctx,
      { [EXTRA]: { first: 1 } },
      {},
      'an object signed as its JSON',
    );
    const how =
      object.outcome === 'accepted'
        ? 'an object as its JSON'
        : 'an object, signed as its JSON, is refused';
    const exchanges = [...(found.exchanges ?? []), object.exchange];
    return { ...found, words: `${found.words}, ${how}`, exchanges };
  },
};

/** Probes one setting of the signature by further fields. */
const settingProbe = <Setting extends keyof SignatureSettings>(
  setting: Setting,
  further: Fields,
  what: string,
  words: readonly (readonly [SignatureSettings[Setting], string])[],
): GapProbe => ({
  baseRequest: 'platform',
  needs: { missing: signsNamedFields },
  spends: { platform: words.length },
  look: (ctx) =>
    firstAccepted(
      variantsOf(ctx, setting, further, words),
      `a request with a further field that is ${what}`,
    ),
});

/** Probes whether a signature may be sent in upper case. */
const hexCase: GapProbe = {
  baseRequest: 'platform',
  spends: { platform: 1 },
  look: async (ctx) => {
    let fields = ctx.platform();
    // A signature of digits only has no case.
    while (!/[a-f]/.test(ctx.sign(fields))) fields = ctx.platform();
    const signature = ctx.sign(fields).toUpperCase();
    const purpose = 'gap: a signature in upper case';
    const answer = await ctx.token({ purpose, fields, signature });
    return byOutcome(
      answer,
      { value: 'any', words: 'a signature in upper case is accepted' },
      { value: 'lower', words: 'a signature in upper case is refused' },
    );
  },
};

/** Text that has to be percent-encoded, whatever else does not. */
const PLACE = 'Summer Palace, gate 1/东';

/** Probes whether the values of a user's estimate are signed decoded or encoded. */
const decodedOrEncoded: GapProbe = {
  baseRequest: 'user-estimate',
  needs: {
    missing: ({ estimateFields }) =>
      estimateFields === 'all' || estimateFields.includes('to_name')
        ? undefined
        : 'the profile leaves to_name out of the signed parameters',
  },
  look: async (ctx) => {
    const query = ctx.query({ to_name: PLACE });
    const encoded = Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, encodeURIComponent(value)]),
    );
    const send = (how: string, pairs: Readonly<Record<string, string>>) => (): Promise<Answer> =>
      ctx.estimate({
        purpose: `gap: a user estimate whose values were signed ${how}`,
        query,
        as: 'user',
        signature: ctx.signEstimate(pairs),
      });
    return firstAccepted(
      [
        { value: 'decoded', words: 'the decoded values are signed', send: send('decoded', query) },
        {
          value: 'encoded',
          words: 'the values are signed as they are encoded in the query',
          send: send('encoded', encoded),
        },
      ],
      'a user estimate with a name that has to be encoded',
    );
  },
};

/** Probes of signatures. */
export const signatureProbes = {
  'signed-booleans-and-objects': booleans,
  'text-zero-signed': settingProbe('textZero', { [EXTRA]: '0' }, 'the text "0"', [
    ['kept', 'the text "0" is signed'],
    ['skipped', 'the text "0" is left out'],
  ]),
  'slash-in-list': settingProbe('slashInList', { [EXTRA]: ['a/b'] }, 'a list with a slash', [
    ['escaped', 'signed as \\/'],
    ['plain', 'signed as /'],
  ]),
  'signature-hex-case': hexCase,
  'whitespace-trimmed': settingProbe(
    'whitespace',
    { [EXTRA]: '\f\u00a0text' },
    'text after a form feed and a no-break space',
    [
      ['ascii', 'a form feed is trimmed, a no-break space is not'],
      ['unicode', 'a form feed and a no-break space are trimmed'],
      ['php', 'neither a form feed nor a no-break space is trimmed'],
    ],
  ),
  'null-and-empty-list-signed': settingProbe(
    'emptyValues',
    { [EXTRA]: null, [`${EXTRA}_list`]: [] },
    'null and one that is an empty list',
    [
      ['skipped', 'null and an empty list are left out'],
      ['lists', 'an empty list is signed as [], null is left out'],
      ['both', 'null is signed as null, an empty list as []'],
    ],
  ),
  'estimate-signed-decoded-or-encoded': decodedOrEncoded,
} satisfies GapProbes;
