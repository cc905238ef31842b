import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_BEHAVIOUR } from '../../../src/interface/default-behaviour.ts';
import { sign } from '../../../src/interface/index.ts';
import { startServer } from '../../../src/server/index.ts';
import type { ExplainSignature } from '../../../src/server/service/settings.ts';
import { SignatureCheck, signatureRefusal } from '../../../src/server/service/signature-check.ts';
import { Partners } from '../../../src/server/service/state/partners.ts';
import { Caller, frozen } from '../caller.ts';

const partner = new Partners().add('demo', 'key-of-demo', false);
const FIELDS = { grant_type: 'client_credentials', _: '2026-03-02T12:00:00Z', nostr: 'a1B2c3' };
const RIGHT = sign(FIELDS, 'key-of-demo');

const check = new SignatureCheck(DEFAULT_BEHAVIOUR);
const areAccepted = (signature: string): [token: boolean, estimate: boolean] => [
  check.isTokenSigned(partner, FIELDS, signature),
  check.isEstimateSigned(partner, FIELDS, signature),
];

it('accepts the right signature', () => {
  expect(areAccepted(RIGHT)).toEqual([true, true]);
  expect(check.tokenSignature(partner, FIELDS)).toBe(RIGHT);
});

it('compares every digit', () => {
  for (let at = 0; at < RIGHT.length; at++) {
    const digit = RIGHT[at] === '0' ? '1' : '0';
    const wrong = RIGHT.slice(0, at) + digit + RIGHT.slice(at + 1);
    expect([at, ...areAccepted(wrong)]).toEqual([at, false, false]);
  }
});

it.each([
  ['empty', ''],
  ['cut', RIGHT.slice(1)],
  ['longer at its end', `${RIGHT}0`],
  ['longer at its start', `0${RIGHT}`],
  ['in another alphabet', RIGHT.replace(/.$/, 'g')],
  ['of another key', sign(FIELDS, 'key-of-other')],
  ['of other fields', sign({ ...FIELDS, nostr: 'a1B2c4' }, 'key-of-demo')],
])('refuses one that is %s', (_what, signature) => {
  expect(areAccepted(signature)).toEqual([false, false]);
});

it('accepts upper case only where the gap allows it', () => {
  for (const hexCase of ['any', 'lower'] as const) {
    const own = new SignatureCheck({ ...DEFAULT_BEHAVIOUR, 'signature-hex-case': hexCase });
    expect(own.isTokenSigned(partner, FIELDS, RIGHT.toUpperCase())).toBe(hexCase === 'any');
    expect(own.isTokenSigned(partner, FIELDS, RIGHT)).toBe(true);
  }
});

it('signs the fields that the gaps name, each endpoint its own', () => {
  const own = new SignatureCheck({
    ...DEFAULT_BEHAVIOUR,
    'signed-fields-token': ['_', 'nostr'],
    'signed-fields-estimate': ['nostr'],
  });
  const ofBoth = sign({ _: FIELDS._, nostr: FIELDS.nostr }, 'key-of-demo');
  const ofOne = sign({ nostr: FIELDS.nostr }, 'key-of-demo');
  const accepted = [ofBoth, ofOne, RIGHT].map((signature) => [
    own.isTokenSigned(partner, FIELDS, signature),
    own.isEstimateSigned(partner, FIELDS, signature),
  ]);
  expect(accepted).toEqual([
    [true, false],
    [false, true],
    [false, false],
  ]);
});

it('refuses what has no signature', () => {
  const thrower = new SignatureCheck(DEFAULT_BEHAVIOUR, () => {
    throw new Error('no pairs');
  });
  expect(thrower.tokenSignature(partner, FIELDS)).toBeNull();
  expect(thrower.isTokenSigned(partner, FIELDS, RIGHT)).toBe(false);
});

it('names the mistake of a signature that it refuses as the explanation does', async () => {
  const refusalWith = (explainSignature?: ExplainSignature) =>
    signatureRefusal({ explainSignature }, { what: 'body', pairs: FIELDS }, partner, RIGHT);
  const plain = 'SIGN is not the signature of this body.';
  const named = 'SIGN is not the signature of this body: it is a single MD5.';
  expect(refusalWith().message).toBe(plain);
  expect(refusalWith(() => null).message).toBe(plain);
  expect(refusalWith(() => 'is a single MD5').message).toBe(named);
  const { explained } = refusalWith(async () => 'is a single MD5');
  expect((await explained)?.message).toBe(named);
});

it('answers other requests while a refusal waits for its explanation', async () => {
  let explain: (mistake: string) => void = () => undefined;
  const explanation = new Promise<string>((resolve) => {
    explain = resolve;
  });
  const server = await startServer({ clock: frozen, explainSignature: () => explanation });
  onTestFinished(() => server.close(0));
  const caller = new Caller(server);
  const refused = caller.send(caller.fields(), { signature: '0'.repeat(32) });
  expect((await caller.send(caller.fields())).status).toBe(200);
  explain('is a single MD5');
  expect((await refused).text).toContain('of this body: it is a single MD5.');
});
