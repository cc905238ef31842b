import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkService,
  exchangeToReplay,
  replayExchange,
  replayObstacle,
  type ServiceResult,
} from '../../../../src/conformance/index.ts';
import type { Exchange } from '../../../../src/documents/exchange.ts';
import { describeProfile, type RunningServer, startServer } from '../../../../src/server/index.ts';
import { memoryLedger } from '../../../../src/spending/index.ts';
import { RUN } from '../../../independent-service/judge.ts';
import { runClock } from '../../../independent-service/run-clock.ts';
import { openedLedger } from '../../../support/lock-world.ts';
import { partName } from '../part-name.ts';

const RULES = [
  'token/nostr-*',
  'token/timestamp-fresh',
  'token/timestamp-expired',
  'token/timestamp-iso8601',
  'token/scope-default',
  'signature/invalid-refused',
  'signature/wrong-key-refused',
  'auth/user-signature',
  'auth/unknown-token',
  'auth/token-of-partner',
  'token/refresh-token-unknown',
  'lifecycle/access-token-valid-until-expiry',
  'lifecycle/refresh-never-expires',
  'lifecycle/refresh-single-use',
  'quota/platform-refuses-11th',
];

/** Server that the run was on, and one that the exchanges are sent to again. */
let former: RunningServer;
let other: RunningServer;
let run: ServiceResult;

const CLOCK = runClock(Date.now);

beforeAll(async () => {
  former = await startServer({ controlPort: 0 });
  other = await startServer({ controlPort: 0 });
  run = await checkService({
    ...RUN,
    clock: CLOCK,
    target: describeProfile(former),
    only: RULES,
  });
});

afterAll(async () => {
  await Promise.all([former.close(0), other.close(0)]);
});

const OPTIONS = { ledger: 'none' as const, clock: CLOCK, timeoutMs: RUN.timeoutMs, seed: 7 };

const again = (
  exchange: Exchange,
  target = describeProfile(other),
): ReturnType<typeof replayExchange> => replayExchange({ ...OPTIONS, exchange, run, target });

const find = (purpose: string, key = ''): Exchange => {
  const one = run.exchanges.find(
    (each) => each.purpose.includes(purpose) && partName(each).startsWith(key),
  );
  if (!one) throw new Error(`no exchange: ${purpose}`);
  return one;
};

const fieldsOf = ({ request }: Exchange): Record<string, unknown> =>
  JSON.parse(request.body ?? '') as Record<string, unknown>;

describe('an exchange that is sent again', () => {
  it('gets the answer that it got, whatever was wrong in it', { tags: ['long'] }, async () => {
    const repeatable = run.exchanges.filter((one) => replayObstacle(one, run) === null);
    const chosen = repeatable.filter((_, at) => at % 20 === 0);
    expect(chosen.length).toBeGreaterThan(15);
    for (const one of chosen) {
      const { now } = await again(one);
      const shown = (each: Exchange): unknown[] => [
        each.purpose,
        each.response?.status,
        each.request.method,
        each.signed?.key,
        each.signed?.alteration,
      ];
      expect(shown(now)).toEqual(shown(one));
    }
  });

  it('has a new time, nostr and signature, and says so', async () => {
    const one = find('baseline before: a well-formed platform request');
    const { now, renewed, kept } = await again(one);
    const [before, after] = [fieldsOf(one), fieldsOf(now)];
    expect(after['nostr']).not.toBe(before['nostr']);
    expect(Date.parse(String(after['_']))).toBeGreaterThan(Date.parse(now.at) - 2_500);
    expect(renewed.join('\n')).toContain(
      `nostr ${String(before['nostr'])} → ${String(after['nostr'])}`,
    );
    expect(renewed).toContain('signature');
    expect(kept).toEqual(['all else']);
  });

  it('has a _ as old as the former one was', async () => {
    const one = find('negative: a _ that is 20 min old');
    const { now } = await again(one);
    const age = ({ at, targetAt }: Exchange, sent: unknown): number =>
      Date.parse(targetAt ?? at) - Date.parse(String(sent));
    const isoOf = (each: Exchange): string =>
      String(fieldsOf(each)['_']).replace(
        /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/,
        '$1-$2-$3T$4:$5:$6',
      );
    expect(Math.abs(age(now, isoOf(now)) - age(one, isoOf(one)))).toBeLessThan(2_000);
    expect(now.response?.status).not.toBe(200);
  });

  it.each([
    ['as DD.MM.YYYY hh:mm:ss', /^\d\d\.\d\d\.\d{4} /],
    ['in words', /^[A-Z][a-z]{2} \d\d, /],
  ])('has a current time in the form of the former one: %s', async (form, written) => {
    const one = find(`negative: the current time ${form}`);
    const { now, renewed } = await again(one);
    expect(fieldsOf(now)['_']).toMatch(written);
    expect(renewed.join('\n')).toContain(` → ${String(fieldsOf(now)['_'])}`);
    expect(now.signed?.text).toContain(`_=${String(fieldsOf(now)['_'])}`);
  });

  it('keeps a wrong nostr, and the one that was signed in its place', async () => {
    const short = await again(find('negative: ', 'token/nostr-length'));
    expect(short.kept.join()).toMatch(/^nostr "/);
    const cased = await again(find('negative: ', 'token/nostr-case'));
    expect(cased.kept.join()).toMatch(/^nostr "/);
    expect(cased.now.signed?.text).not.toContain(`nostr=${String(fieldsOf(cased.now)['nostr'])}`);
  });

  it('keeps how its signature was spoiled', async () => {
    const one = find('the right signature with its last digit changed', 'signature/invalid');
    expect(one.signed).toMatchObject({ key: 'own', alteration: 'digit 32 changed' });
    const { now, kept } = await again(one);
    expect(now.signed).toMatchObject({ key: 'own', alteration: 'digit 32 changed' });
    expect(now.signed?.text).not.toBe(one.signed?.text);
    expect(kept.join()).toContain('digit 32 changed');
  });

  it('obtains the tokens that it needs', async () => {
    const one = find('baseline before: a well-formed user estimate');
    const { now, before, renewed } = await again(one);
    expect(before.map(({ request }) => JSON.parse(request.body ?? '').grant_type)).toEqual([
      'authorization_code',
    ]);
    expect(renewed).toContain('access_token: obtained anew');
    expect(now.response?.status).toBe(200);
  });

  it('shows no key, token or signature', async () => {
    const key = 'a-key-that-nobody-may-see';
    const partners = [
      { id: 'p-1', signingKey: key, use: 'general' as const, authCodes: ['code-nobody-may-see'] },
    ];
    const server = await startServer({ partners });
    try {
      const target = { ...describeProfile(server), control: undefined };
      const ledger = memoryLedger();
      const one = find('baseline before: a well-formed user estimate');
      const result = await replayExchange({
        ...OPTIONS,
        exchange: one,
        run,
        target,
        ledger: openedLedger(ledger),
      });
      const text = JSON.stringify(result);
      expect(result.now.response?.status).toBe(200);
      expect(text).not.toContain(key);
      expect(text).not.toContain('code-nobody-may-see');
      const inner = createHash('md5')
        .update(result.now.signed?.text ?? '')
        .digest('hex');
      expect(text).not.toContain(
        createHash('md5')
          .update(inner + key)
          .digest('hex'),
      );
      expect(result.spend).toEqual({ platform: 0, user: 1, refresh: 0 });
    } finally {
      await server.close(0);
    }
  });
});

describe('an exchange in the name of another partner', () => {
  it.each(['estimate', 'user-estimate'])('has a second partner again: %s', async (kind) => {
    const lax = await startServer({ controlPort: 0, faults: ['auth/token-of-partner'] });
    try {
      const one = find("another partner's id", `auth/token-of-partner@${kind}`);
      const strict = await again(one);
      expect(strict.now.response?.status).not.toBe(200);
      expect(strict.renewed.join('\n')).toMatch(/^partner p-.* → p-/m);
      // An id that the server does not know would be refused by this one too.
      const { now } = await again(one, describeProfile(lax));
      expect(now.response?.status).toBe(200);
    } finally {
      await lax.close(0);
    }
  });

  it('has the refresh_token of a second partner again', async () => {
    const one = find("negative: another partner's refresh_token", 'token/refresh-token-unknown');
    const { now, before } = await again(one);
    expect(now.response?.status).not.toBe(200);
    const [issued] = before;
    expect(issued?.response?.status).toBe(200);
    expect(issued?.partnerId).not.toBe(now.partnerId);
  });

  it('spends and needs two partners of a profile', async () => {
    const partners = ['p-1', 'p-2'].map((id) => ({
      id,
      signingKey: `key-of-${id}`,
      use: 'general' as const,
      authCodes: [],
    }));
    const server = await startServer({ partners });
    try {
      const target = { ...describeProfile(server), control: undefined };
      const ledger = memoryLedger();
      const exchange = run.exchanges.find(
        (one) =>
          one.purpose === "negative: another partner's refresh_token" &&
          /^token\/refresh-token-unknown[#@]/.test(partName(one)),
      )!;
      const { spend } = await replayExchange({
        ...OPTIONS,
        exchange,
        run,
        target,
        ledger: openedLedger(ledger),
      });
      expect(spend).toEqual({ platform: 1, user: 0, refresh: 1 });
      const spentOf = (id: string) => ledger.spentOf(target.baseUrl, id, Date.now());
      expect([spentOf('p-1').refresh, spentOf('p-2').platform]).toEqual([1, 1]);
      const alone = { ...target, partners: target.partners.slice(0, 1) };
      await expect(
        replayExchange({
          ...OPTIONS,
          exchange,
          run,
          target: alone,
          ledger: openedLedger(ledger),
        }),
      ).rejects.toMatchObject({ code: 'PARTNER_MISSING' });
    } finally {
      await server.close(0);
    }
  });
});

describe('an exchange about the age of a token', () => {
  const aged = (): Exchange[] =>
    run.exchanges.filter(
      (one) =>
        /^lifecycle\/(access-token-valid|refresh-never)/.test(partName(one)) &&
        replayObstacle(one, run, false)?.includes('needs a control API') === true &&
        replayObstacle(one, run, true) === null,
    );

  it('is sent after the clock was moved on as far, and the clock is reset', {
    tags: ['long'],
  }, async () => {
    const statuses = new Set<number | undefined>();
    for (const one of aged()) {
      const { now } = await again(one);
      expect([one.purpose, now.response?.status]).toEqual([one.purpose, one.response?.status]);
      statuses.add(now.response?.status);
      expect(Date.parse(now.targetAt ?? now.at) - Date.parse(now.at)).toBeGreaterThan(3_000_000);
      expect(Math.abs(other.clock.now() - Date.now())).toBeLessThan(5_000);
    }
    // Valid tokens and expired ones.
    expect(statuses).toContain(200);
    expect(statuses.size).toBeGreaterThan(1);
  });

  it('is not sent where no control API moves the clock', async () => {
    const target = { ...describeProfile(other), control: undefined };
    const [one] = aged();
    await expect(again(one!, target)).rejects.toMatchObject({
      code: 'EXCHANGE_NOT_REPEATABLE',
      message: expect.stringContaining('needs a control API, which moves the clock'),
    });
  });

  it('is not sent where a new token is valid for another time', async () => {
    const lasting = await startServer({ controlPort: 0, expiresInSeconds: 9000 });
    try {
      const one = aged().find((each) => partName(each).startsWith('lifecycle/access-token-valid'));
      await expect(again(one!, describeProfile(lasting))).rejects.toMatchObject({
        message: expect.stringContaining('the new access token is valid for 9000 s'),
      });
    } finally {
      await lasting.close(0);
    }
  });
});

describe('an exchange of a broken rule', () => {
  const FAULTS = [
    'record/pay-type',
    'token/response-token-type',
    'token/nostr-length',
    'lifecycle/access-token-valid-until-expiry',
    'lifecycle/refresh-single-use',
    'quota/platform-refuses-11th',
  ] as const;
  let faulty: RunningServer;
  let broken: ServiceResult;

  beforeAll(async () => {
    faulty = await startServer({ controlPort: 0, faults: [...FAULTS] });
    const result = await checkService({
      ...RUN,
      clock: CLOCK,
      target: describeProfile(faulty),
      only: FAULTS,
    });
    const rules = result.rules.map((one) => ({
      ...one,
      repeat: `fareproof check --rule ${one.id}`,
    }));
    broken = { ...result, rules };
  });

  afterAll(() => faulty.close(0));

  const ruleOf = (id: (typeof FAULTS)[number]) => broken.rules.find((one) => one.id === id)!;
  const decisiveOf = (id: (typeof FAULTS)[number]): Exchange => {
    const chosen = exchangeToReplay(broken)(ruleOf(id));
    return broken.exchanges.find((one) => one.id === chosen)!;
  };
  const sendTo = (server: RunningServer, exchange: Exchange) =>
    replayExchange({ ...OPTIONS, exchange, run: broken, target: describeProfile(server) });

  it.each([
    ['record/pay-type', 'pay_type is ""'],
    ['token/response-token-type', 'token_type is "mac"'],
  ] as const)('is judged by what the new response says: %s', async (id, what) => {
    const exchange = decisiveOf(id);
    const still = await sendTo(faulty, exchange);
    expect(still).toMatchObject({
      verdict: 'not-as-expected',
      reason: expect.stringContaining(`accepted (status 200), as it must be, but ${id}: ${what}`),
      rerun: [`fareproof check --rule ${id}`],
    });
    const fixed = await sendTo(other, exchange);
    expect(fixed).toMatchObject({
      verdict: 'as-expected',
      reason: `accepted (status 200), as it must be; this response keeps ${id}`,
    });
  });

  it('is judged by its status, where that broke the rule', async () => {
    const exchange = decisiveOf('token/nostr-length');
    expect(await sendTo(faulty, exchange)).toMatchObject({ verdict: 'not-as-expected' });
    expect(await sendTo(other, exchange)).toMatchObject({
      verdict: 'as-expected',
      reason: expect.stringMatching(/^refused .*, as it must be; only the status was compared$/),
    });
  });

  it('may show that a rule of several exchanges is still broken, never that it is kept', async () => {
    const id = 'lifecycle/access-token-valid-until-expiry';
    const exchange = decisiveOf(id);
    expect(await sendTo(faulty, exchange)).toMatchObject({ verdict: 'not-as-expected' });
    expect(await sendTo(other, exchange)).toMatchObject({
      verdict: 'inconclusive',
      reason: `accepted (status 200), as it must be, but this request alone does not show whether ${id} is kept`,
    });
  });

  it('is not chosen, and proves nothing, where it was right and others broke the rule', async () => {
    const id = 'lifecycle/refresh-single-use';
    const { exchanges } = ruleOf(id);
    expect(exchangeToReplay(broken)(ruleOf(id))).toBeNull();
    const right = broken.exchanges.find(
      (one) =>
        exchanges.includes(one.id) &&
        one.part?.check === id &&
        replayObstacle(one, broken) === null,
    )!;
    // The service is as wrong as it was.
    expect(await sendTo(faulty, right)).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining(`does not show whether ${id} is kept`),
      rerun: [`fareproof check --rule ${id}`],
    });
  });

  it('names the command that judges its rule, where it cannot be sent again', async () => {
    const { shownBy } = ruleOf('quota/platform-refuses-11th');
    const exchange = broken.exchanges.find(({ id }) => id === shownBy)!;
    const repeat = 'fareproof check --target staging.yaml --rule quota/platform-refuses-11th';
    const rules = broken.rules.map((one) => (one.shownBy === shownBy ? { ...one, repeat } : one));
    const options = { ...OPTIONS, exchange, target: describeProfile(other) };
    await expect(replayExchange({ ...options, run: { ...broken, rules } })).rejects.toMatchObject({
      code: 'EXCHANGE_NOT_REPEATABLE',
      message: expect.stringMatching(new RegExp(`To judge its rule, run: ${repeat}$`)),
    });
  });

  it('is the decisive one, or else one that shows the rule as well', () => {
    const rule = ruleOf('token/nostr-length');
    const chosen = decisiveOf(rule.id as 'token/nostr-length');
    expect(chosen).toMatchObject({ expects: 'refused', response: { status: 200 } });
    expect(chosen.part?.batch?.baseRequest).not.toBe('standalone');
    const byItself = broken.exchanges.filter(
      (one) =>
        one.part?.check === rule.id &&
        one.expects === 'refused' &&
        one.part.batch?.baseRequest !== 'standalone',
    );
    const last = byItself.at(-1)!;
    expect(exchangeToReplay(broken)({ ...rule, shownBy: last.id })).toBe(last.id);
    const baseline = broken.exchanges.find(
      ({ id, part }) => part?.step === 'open' && rule.exchanges.includes(id),
    )!;
    expect(exchangeToReplay(broken)({ ...rule, exchanges: [baseline.id] })).toBeNull();
  });
});

describe('an exchange is not sent again', () => {
  it.each([
    ['its result depends on how many requests', 'platform token request beyond the 10', 'quota/'],
    ['its signature was made up', 'negative: 32 random hex digits', 'signature/'],
    ['it was signed with another key', 'made with a random key', 'signature/'],
    ['its access token was made up', 'never issued', 'auth/unknown-token'],
    ['its refresh_token had been used before, by x', 'negative: ', 'lifecycle/refresh-single-use'],
    ['it belongs to no partner', 'whether the target answers', ''],
  ])('where %s', async (reason, purpose, key) => {
    const one = find(purpose, key);
    expect(replayObstacle(one, run)).toContain(reason);
    await expect(again(one)).rejects.toMatchObject({ code: 'EXCHANGE_NOT_REPEATABLE' });
  });

  it('where it was sent on the connection of another one', () => {
    const alike = (one: Exchange): Exchange[] =>
      run.exchanges.filter(({ connection }) => connection === one.connection);
    const shared = run.exchanges.filter((one) => one.connection !== undefined);
    const later = shared.filter((one) => alike(one)[0] !== one);
    expect(later.length).toBeGreaterThan(1);
    for (const one of later)
      expect(replayObstacle(one, run)).toMatch(/on the connection of another|was made up/);
    expect(replayObstacle(later[0]!, run)).toContain('on the connection of another');
    for (const one of shared.filter((each) => !later.includes(each)))
      expect(replayObstacle(one, run) ?? '').not.toContain('on the connection of another');
  });

  it('where it has a secret that its recipe does not name, or an auth code that was made up', () => {
    const one = find('user token to work with: a well-formed exchange of an auth code');
    const obstacleOf = (made: Exchange['made']): string | null =>
      replayObstacle(one, { ...run, exchanges: [{ ...one, made }] });
    expect(obstacleOf(one.made)).toBeNull();
    expect(obstacleOf(undefined)).toContain('a secret, or a part of one');
    const anew = Object.entries(one.made ?? {}).map(([text, { is }]) => [text, { is }] as const);
    expect(obstacleOf(Object.fromEntries(anew))).toContain('its auth code was made up');
  });
});

describe('with partners of a profile, sending an exchange again', () => {
  const CODES = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
  const partners = [
    { id: 'p-1', signingKey: 'key-of-p-1', use: 'general' as const, authCodes: CODES },
  ];

  it('spends through the ledger up to the allowance, and then sends nothing', async () => {
    const sent: string[] = [];
    const server = await startServer({ partners });
    try {
      const target = { ...describeProfile(server), control: undefined };
      const ledger = memoryLedger();
      const exchange = find('baseline before: a well-formed platform request');
      const send = async (): Promise<void> => {
        const { now } = await replayExchange({
          ...OPTIONS,
          exchange,
          run,
          target,
          ledger: openedLedger(ledger),
        });
        sent.push(String(now.response?.status));
      };
      for (let at = 0; at < 10; at++) await send();
      await expect(send()).rejects.toMatchObject({
        code: 'ALLOWANCE_USED_UP',
        message: expect.stringMatching(
          /^Nothing was sent: it needs up to 1 platform token request, and no partner .* has them left/,
        ),
      });
      expect(sent).toEqual(Array.from({ length: 10 }, () => '200'));
      expect(ledger.spentOf(target.baseUrl, 'p-1', Date.now())).toEqual({
        platform: 10,
        user: 0,
        refresh: 0,
      });
      // The partner is not banned: it still gets a user token.
      const user = find('baseline before: a well-formed user estimate');
      const last = await replayExchange({
        ...OPTIONS,
        exchange: user,
        run,
        target,
        ledger: openedLedger(ledger),
      });
      expect(last.now.response?.status).toBe(200);
    } finally {
      await server.close(0);
    }
  });

  it('counts its tokens too, before the first of them is requested', async () => {
    const server = await startServer({ partners: [{ ...partners[0]!, authCodes: [] }] });
    try {
      const target = { ...describeProfile(server), control: undefined };
      const ledger = memoryLedger();
      const exchange = find('baseline before: a well-formed user estimate');
      await expect(
        replayExchange({
          ...OPTIONS,
          exchange,
          run,
          target,
          ledger: openedLedger(ledger),
        }),
      ).rejects.toMatchObject({
        code: 'ALLOWANCE_USED_UP',
        message: expect.stringContaining(
          'it needs up to 1 user token request and 1 unused auth code',
        ),
      });
      expect(ledger.spentOf(target.baseUrl, 'p-1', Date.now()).user).toBe(0);
    } finally {
      await server.close(0);
    }
  });

  it('needs a partner that may spend', async () => {
    const spendable = [{ ...partners[0]!, use: 'spendable' as const }];
    const target = { ...describeProfile(other), control: undefined, partners: spendable };
    const exchange = find('baseline before: a well-formed platform request');
    await expect(again(exchange, target)).rejects.toMatchObject({ code: 'PARTNER_MISSING' });
  });
});
