import { expect, it } from 'vitest';
import { fieldMistakes } from '../../../src/conformance/signature/mistakes/fields.ts';
import { FREQUENT_MISTAKES } from '../../../src/conformance/signature/mistakes/frequent.ts';
import { rareMistakes } from '../../../src/conformance/signature/mistakes/rare.ts';
import { DOCUMENTED_RECIPE, signBy } from '../../../src/conformance/signature/recipe.ts';
import { ALL_FIELDS, signingContext } from '../../../src/conformance/signature/signing-context.ts';

const partner = { id: 'p-1', signingKey: '61423364' };
const OTHERS = {
  partner,
  signature: '0'.repeat(32),
  token: 'access-1',
  earlier: { _: ['2026-03-01T00:29:00Z'], nostr: ['a1B2c2'] },
  origin: 'http://127.0.0.1:8080',
  keysOfOthers: ['another key'],
  signedFields: ALL_FIELDS,
};

/** Requests with a value for each mistake to get wrong. */
const SENT = {
  token: {
    _: '2026-03-01T00:30:00.123Z',
    nostr: 'a1B2c3',
    grant_type: 'authorization_code',
    auth_code: 'code-1',
    scope: 'public rides.read',
    ' Memo ': ' "a" \'b\' <c> & d=e # f+g \\ / %41 é天😀 ~!*() \t',
    'tags&': ['b', ' a/b ', 10, 'é天', ['c'], '', 'b'],
    nested: { z: 1, a: true },
    count: 0,
    many: 1200,
    part: 1.5,
    yes: true,
    no: false,
    empty: '',
    blank: ' ',
    missing: null,
  },
  estimate: {
    start_lat: '39.908700',
    start_lng: '116.3975',
    from_name: '天安门 Gate A',
    end_lat: '39.9929',
    end_lng: '-116.3106',
    to_name: " Joe's Café / 3 & more ",
    ride_type: 'compact',
    departure_time: '1795392001',
    imei: '',
  },
};

it.each(['token', 'estimate'] as const)('each known mistake in a %s request', async (kind) => {
  const pairs = SENT[kind];
  const sent = Object.entries(pairs);
  // Without the thousands of other times, texts of a nostr, and constants.
  const {
    manyValues: _,
    constants: _constants,
    ...context
  } = signingContext({ ...OTHERS, kind, pairs }, pairs);
  const right = signBy(DOCUMENTED_RECIPE, sent, partner.signingKey);
  const mistakes = [
    ...FREQUENT_MISTAKES,
    ...fieldMistakes(sent, context),
    ...rareMistakes(partner.signingKey, context),
  ];
  const lines = mistakes.flatMap(({ id, apply }) => {
    const { signature } = signBy(apply(DOCUMENTED_RECIPE), sent, partner.signingKey);
    return signature === right.signature ? [] : [`${id} ${signature.slice(0, 8)}`];
  });
  // A mistake that is added or changed on purpose: `npx vitest run -u` with this file.
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(
    `../../vectors/signature-mistakes-${kind}.txt`,
  );
});
