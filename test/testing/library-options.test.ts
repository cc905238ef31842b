import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as product from '../../src/index.ts';
import * as matchers from '../../src/testing/matchers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const {
  certifyClient,
  checkService,
  compareRuns,
  defineRule,
  explainSignature,
  ledgerFile,
  planCheck,
  runLoad,
  sign,
  startServer,
} = product;
const { assertConforms, assertHoldsLoad } = matchers;
const { toConform, toHoldLoad } = matchers.matchers;

const target = {
  name: 'far',
  baseUrl: 'https://rides.example.com',
  partners: [{ id: 'p', signingKey: 'k' }],
};
const rule = {
  id: 'house/quick',
  level: 'must',
  statement: 'It is quick.',
  check: { baseRequest: 'estimate', spends: () => ({}), run: async () => product.pass('it is') },
} as const;

it.each([
  [[{ rule: 'token/nostr-case' }], 'waivers[0].reason'],
  [[{ rule: 'token/nostr-case', reason: 'known', until: 'tomorrow' }], 'waivers[0].until'],
  [[{ rule: 'token/nostr-csae', reason: 'known', until: '2027-01-31' }], 'waivers[0].rule'],
])('waivers that are not whole are refused before anything is sent', async (waivers, field) => {
  await expect(checkService({ target, waivers: waivers as never })).rejects.toMatchObject({
    code: 'WAIVERS_INVALID',
    message: expect.stringContaining(field),
  });
});

/** Functions that take options, each with one that is mistyped, and the nearest name. */
const MISTYPED: readonly (readonly [
  name: string,
  call: (typo: object) => unknown,
  typo: object,
  words: string,
])[] = [
  ['checkService', (typo) => checkService({ target, ...typo }), { rule: [] }, 'mean rules?'],
  ['checkService', (typo) => checkService({ target, ...typo }), { timeoutMs: 1 }, 'mean timeout?'],
  ['planCheck', (typo) => planCheck({ target, ...typo }), { alowBan: true }, 'mean allowBan?'],
  ['runLoad', (typo) => runLoad({ target, ...typo }), { treshold: [] }, 'mean thresholds?'],
  ['runLoad', (typo) => runLoad({ target, ...typo }), { threshold: [] }, 'mean thresholds?'],
  [
    'certifyClient',
    (typo) => certifyClient({ command: ['true'], ...typo }),
    { scenario: [] },
    'mean scenarios?',
  ],
  [
    'compareRuns',
    (typo) => compareRuns({ base: [], candidate: [], ...typo }),
    { margin: 1 },
    'mean marginPercent?',
  ],
  ['startServer', (typo) => startServer(typo), { fault: [] }, 'mean faults?'],
  ['startServer', (typo) => startServer(typo), { timeouts: { head: 1 } }, 'mean headMs'],
  ['startServer', (typo) => startServer(typo), { tls: { ca: '' } }, 'there are cert, key'],
  ['sign', (typo) => signed(sign, typo), { textzero: 'kept' }, 'mean textZero?'],
  ['explainSignature', (typo) => signed(explainSignature, typo), { boolean: 1 }, 'mean booleans?'],
  ['defineRule', (typo) => defineRule({ ...rule, ...typo }), { sektion: '' }, 'mean section?'],
  [
    'defineRule',
    (typo) => defineRule({ ...rule, check: { ...rule.check, ...typo } }),
    { alsoon: [] },
    'mean alsoOn?',
  ],
  ['toConform', (typo) => toConform(target, typo), { rule: [] }, 'mean rules?'],
  ['toHoldLoad', (typo) => toHoldLoad(target, typo), { findMax: 'p99<1ms' }, 'findMax: '],
  ['toHoldLoad', (typo) => toHoldLoad(target, typo), { tresholds: [] }, 'mean thresholds?'],
  ['assertConforms', (typo) => assertConforms(target, typo), { rule: [] }, 'mean rules?'],
  ['assertHoldsLoad', (typo) => assertHoldsLoad(target, typo), { treshold: [] }, 'thresholds?'],
];

/** Functions of which no argument has options. */
const WITHOUT_OPTIONS = [
  'describeProfile',
  'inconclusive',
  'ledgerFile',
  'parseDocument',
  'pass',
  'toHtml',
  'toJUnit',
  'toMarkdown',
  'untestable',
  'violated',
];

const signed = (one: typeof sign | typeof explainSignature, typo: object): unknown =>
  one({ a: 'b' }, 'key', { ...SETTINGS, ...typo });
const SETTINGS: product.SignatureSettings = {
  textZero: 'kept',
  slashInList: 'escaped',
  booleans: 'numeric',
  whitespace: 'ascii',
  emptyValues: 'skipped',
};

describe('a public function', () => {
  it.each(MISTYPED)(
    '%s: refuses an option that it does not have, nr. %#',
    async (_, call, typo, words) => {
      const refused = Promise.resolve().then(() => call(typo));
      await expect(refused).rejects.toMatchObject({
        code: 'OPTION_UNKNOWN',
        field: expect.stringMatching(/^[\w.]+$/) as string,
        message: expect.stringContaining(words) as string,
      });
    },
  );

  it('is either in the table above or has no options', () => {
    const functions = Object.entries({ ...product, ...matchers, ...matchers.matchers })
      .filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name))
      .map(([name]) => name);
    const known = new Set([...MISTYPED.map(([name]) => name), ...WITHOUT_OPTIONS]);
    expect([...known].sort()).toEqual([...new Set(functions)].sort());
  });

  it('takes an option that is left undefined, and refuses what is no object', async () => {
    const server = await startServer({ port: undefined, timeouts: undefined });
    await server.close(0);
    const wrong = { timeouts: 5 } as object;
    await expect(startServer(wrong)).rejects.toThrow('timeouts: must be an object');
  });
});

describe('a duration', () => {
  it.each([
    ['explore', 'soon'],
    ['for', '-1s'],
    ['timeout', -1],
    ['timeout', Number.NaN],
  ])('%s of %s is refused, before anything is sent', async (field, wrong) => {
    await expect(checkService({ target, [field]: wrong })).rejects.toMatchObject({
      code: 'DURATION_INVALID',
      field,
    });
  });
});

describe('load beyond loopback', () => {
  it.each<[string, (options: object) => Promise<unknown>]>([
    ['runLoad', (options) => runLoad({ target, ...options })],
    ['toHoldLoad', (options) => toHoldLoad(target, options)],
    ['assertHoldsLoad', (options) => assertHoldsLoad(target, options)],
  ])('%s: is refused without permission, before anything is spent', async (_, load) => {
    const folder = temporaryFolder();
    const ledger = ledgerFile(join(folder, 'ledger.jsonl'));
    for (const iMayLoadThisTarget of [undefined, false, 'yes', 1]) {
      const refused = load({ ledger, iMayLoadThisTarget });
      await expect(refused).rejects.toMatchObject({ code: 'LOAD_NOT_PERMITTED' });
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

it('compareRuns names the run that it cannot read', async () => {
  const message = async (base: unknown): Promise<string> =>
    compareRuns({ base, candidate: {} } as never).then(String, String);
  expect(await message({})).toContain('base: Not a run document');
  expect(await message([{}, {}])).toContain('base 1: Not a run document');
});

const UNTYPED = product as unknown as Readonly<Record<string, (given?: unknown) => unknown>>;

describe('without types, a public function says what it lacks', () => {
  it.each<[string, unknown, string]>([
    ['checkService', undefined, 'OPTION_UNKNOWN'],
    ['planCheck', undefined, 'OPTION_UNKNOWN'],
    ['runLoad', undefined, 'OPTION_UNKNOWN'],
    ['certifyClient', undefined, 'OPTION_UNKNOWN'],
    ['compareRuns', undefined, 'OPTION_UNKNOWN'],
    ['checkService', {}, 'TARGET_INVALID'],
    ['certifyClient', {}, 'OPTION_INVALID'],
    ['certifyClient', { command: undefined }, 'OPTION_INVALID'],
    ['toHtml', {}, 'DOCUMENT_INVALID'],
    ['toMarkdown', [null], 'DOCUMENT_INVALID'],
    ['toJUnit', { kind: 'load', schemaVersion: 1 }, 'DOCUMENT_INVALID'],
    ['toHtml', { kind: 'forecast', schemaVersion: 1 }, 'DOCUMENT_KIND_UNKNOWN'],
  ])('%s of %j', async (name, given, code) => {
    const called = Promise.resolve().then(() => UNTYPED[name]?.(given));
    await expect(called).rejects.toMatchObject({ code });
  });
});
