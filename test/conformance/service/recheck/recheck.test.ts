import { beforeAll, describe, expect, it } from 'vitest';
import {
  applyWaivers,
  checkService,
  recheckService,
  type ServiceResult,
} from '../../../../src/conformance/index.ts';
import { SERVICE_RULES } from '../../../../src/interface/catalogue.ts';
import type { ServiceRuleId } from '../../../../src/interface/index.ts';
import { describeProfile, startServer } from '../../../../src/server/index.ts';
import { judgeControlled, judgeMetered, RUN } from '../../../independent-service/judge.ts';
import { middayNow } from '../../../independent-service/midday.ts';
import { STYLES } from '../../../independent-service/style.ts';

const verdictsOf = ({ rules }: Pick<ServiceResult, 'rules'>): unknown =>
  Object.fromEntries(rules.map(({ id, verdict, reason }) => [id, `${verdict}: ${reason}`]));

/** A document that a test may change. */
type Writable<T> = T extends object ? { -readonly [Key in keyof T]: Writable<T[Key]> } : T;

/** The document as read from a file. */
const stored = <R extends ServiceResult>(result: R): Writable<R> =>
  JSON.parse(JSON.stringify(result)) as Writable<R>;

async function judgeEmbedded(faults: readonly ServiceRuleId[]): Promise<ServiceResult> {
  const servers = await Promise.all(
    (['production', 'test'] as const).map((environment) =>
      startServer({ environment, controlPort: 0, faults, clock: { now: middayNow } }),
    ),
  );
  const [target, companion] = servers.map(describeProfile);
  try {
    return await checkService({ ...RUN, target: target!, companion: companion! });
  } finally {
    await Promise.all(servers.map((server) => server.close(0)));
  }
}

async function expectSame(result: ServiceResult): Promise<void> {
  const again = await recheckService(stored(result));
  expect(verdictsOf(again)).toEqual(verdictsOf(result));
  expect(again.summary).toEqual(result.summary);
  expect(again.verdict).toBe(result.verdict);
  expect(again.complete).toBe(result.complete);
}

const FAULTS: readonly (readonly ServiceRuleId[])[] = [
  [],
  ['token/nostr-length', 'record/jump-url', 'quota/ban-lifts'],
  ['lifecycle/refresh-single-use', 'lock/default-10-minutes', 'carpool/tag'],
  ['signature/array-json', 'lifecycle/access-token-expires', 'estimate/user'],
  ['token/response-access-token'],
];

/** Rules that a service which signs only named fields leaves untestable. */
const NEED_ALL_FIELDS = /^signature\/(zero-kept|trimmed|array-json|utf8|ampersands-stripped)$/;

describe('a stored run, judged again without sending anything,', () => {
  it.each(FAULTS.map((faults) => ({ faults, name: faults.join(' ') || 'no fault' })))(
    'the embedded server with $name comes out the same',
    { timeout: 120_000 },
    async ({ faults }) => expectSame(await judgeEmbedded(faults)),
  );

  it.each(STYLES)(
    'an outside service comes out the same, controlled and metered ($name)',
    { timeout: 120_000 },
    async (style) => {
      await expectSame(await judgeControlled(style, ['record/pay-type', 'token/scope-echo']));
      const uses = ['general', 'general', 'witness', 'spendable', 'spendable'] as const;
      const metered = await judgeMetered(style, ['auth/scheme'], uses, { allowBan: true });
      await expectSame(metered.result);
    },
  );
});

describe('a service with one rule broken', () => {
  it.each(SERVICE_RULES.map(({ id }, at) => ({ id, at })))(
    '$id is as red again',
    { timeout: 120_000 },
    async ({ id, at }) => {
      const style = NEED_ALL_FIELDS.test(id) ? STYLES[0] : STYLES[at % STYLES.length];
      const result = await judgeControlled(style!, [id], { only: [id] });
      await expectSame(result);
      expect(result.summary.fail + result.summary.warn).toBe(1);
    },
  );
});

describe('a document that was altered', () => {
  let run: ServiceResult;
  beforeAll(async () => {
    run = await judgeEmbedded([]);
  }, 120_000);

  const rejudge = async (
    alter: (exchange: Writable<ServiceResult>['exchanges'][number]) => void,
    key: string | RegExp,
  ): Promise<ServiceResult> => {
    const document = stored(run);
    const found = document.exchanges.filter((one) =>
      typeof key === 'string' ? one.key === key : key.test(one.key ?? ''),
    );
    expect(found).not.toEqual([]);
    for (const exchange of found) alter(exchange);
    return recheckService(document);
  };
  const verdict = ({ rules }: ServiceResult, id: string): unknown =>
    rules.find((rule) => rule.id === id)?.verdict;
  const changed = (again: ServiceResult): string[] =>
    again.rules.filter(({ id, verdict: now }) => verdict(run, id) !== now).map(({ id }) => id);

  it('by the status of a refusal fails that rule', async () => {
    const again = await rejudge(({ response }) => {
      response!.status = 200;
    }, 'token/nostr-length#1');
    expect(changed(again)).toEqual(['token/nostr-length']);
    expect(verdict(again, 'token/nostr-length')).toBe('fail');
    expect(again.verdict).toBe('not-conformant');
    expect(again.rules.find(({ id }) => id === 'token/nostr-length')?.curl).toContain('curl');
  });

  it('by the status of each baseline leaves its rule undecided', async () => {
    const again = await rejudge(({ response }) => {
      response!.status = 403;
    }, /^control:token\/nostr-length(@.*)?:close#1$/);
    expect(verdict(again, 'token/nostr-length')).toBe('inconclusive');
  });

  it('by the status of one baseline is named beside a pass on the others', async () => {
    const again = await rejudge(({ response }) => {
      response!.status = 403;
    }, 'control:token/nostr-length@refresh:close#1');
    const rule = again.rules.find(({ id }) => id === 'token/nostr-length');
    expect(rule?.verdict).toBe('pass');
    expect(rule?.reason).toContain('not determined on a refresh: the well-formed request');
  });

  it('by a field of a record fails that rule', async () => {
    const again = await rejudge(({ response }) => {
      response!.body = response!.body.replace('"currency_code":"CNY"', '"currency_code":"RMB"');
    }, 'estimate/imei-optional#1');
    expect(changed(again)).toEqual(['record/currency-code']);
    expect(verdict(again, 'record/currency-code')).toBe('warn');
  });

  it('by an unchanged refresh_token fails that rule', async () => {
    const again = await rejudge(({ request, response }) => {
      const sent = /"refresh_token":"([^"]*)"/.exec(request.body ?? '')?.[0];
      response!.body = response!.body.replace(/"refresh_token":"[^"]*"/, sent ?? '');
    }, 'lifecycle/refresh-single-use#3');
    expect(changed(again)).toContain('lifecycle/refresh-rotates');
    expect(verdict(again, 'lifecycle/refresh-rotates')).toBe('fail');
  });

  it('by the lock of an estimate fails that rule', async () => {
    const again = await rejudge(({ response }) => {
      response!.body = response!.body.replace('"locked":true', '"locked":false');
    }, 'lock/default-10-minutes#3');
    expect(changed(again)).toEqual(['lock/default-10-minutes']);
  });

  it('by a removed exchange leaves its rule undecided, and names it', async () => {
    const document = stored(run);
    const gone = document.exchanges.find(({ key }) => key === 'auth/scheme#1')!;
    const exchanges = document.exchanges.filter((one) => one !== gone);
    const again = await recheckService({ ...document, exchanges });
    const rule = again.rules.find(({ id }) => id === 'auth/scheme');
    expect(rule).toMatchObject({ verdict: 'inconclusive' });
    expect(rule?.reason).toContain(gone.id);
    expect(changed(again)).toEqual(['auth/scheme']);
  });

  it('by a cut body leaves its rules undecided', async () => {
    const again = await rejudge(({ response }) => {
      response!.body = response!.body.slice(0, 40);
      response!.truncated = true;
    }, /^lifecycle\/refresh-single-use(@.*)?#1$/);
    const rule = again.rules.find(({ id }) => id === 'lifecycle/refresh-single-use');
    expect(rule).toMatchObject({ verdict: 'inconclusive' });
    expect(rule?.reason).toContain('is cut in the document');
  });

  it('to have other requests than the checks send accuses nobody', async () => {
    const document = stored(run);
    for (const one of document.exchanges) one.purpose = `once: ${one.purpose}`;
    const again = await recheckService(document);
    expect(again.summary.fail + again.summary.warn).toBe(0);
    expect(again.verdict).toBe('incomplete');
  });

  it('to lack the data to judge again is refused', async () => {
    const { sites: _sites, ...document } = stored(run);
    await expect(recheckService(document)).rejects.toMatchObject({ code: 'RECHECK_IMPOSSIBLE' });
  });
});

describe('a document with waivers', () => {
  it('keeps them', { timeout: 120_000 }, async () => {
    const run = await judgeEmbedded(['token/nostr-length']);
    const waivers = [{ rule: 'token/nostr-*', reason: 'known', until: '2999-12-31' }];
    const document = applyWaivers(run, waivers, false);
    const again = await recheckService(stored(document));
    expect(again.summary).toEqual(document.summary);
    expect(again.summary.waived).toBe(1);
    expect(again.waivers).toEqual(document.waivers);
  });
});
