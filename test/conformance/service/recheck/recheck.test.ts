import { beforeAll, describe, expect, it } from 'vitest';
import {
  applyWaivers,
  checkService,
  recheckService,
  type ServiceResult,
} from '../../../../src/conformance/index.ts';
import type { Exchange } from '../../../../src/documents/exchange.ts';
import type { ServiceRuleId } from '../../../../src/interface/index.ts';
import { judgeControlled, judgeMetered, RUN } from '../../../independent-service/judge.ts';
import { STYLES, type Style } from '../../../independent-service/style.ts';
import { embeddedPair } from '../../../independent-service/world.ts';
import { partName } from '../part-name.ts';
import { expectSameAgain, stored, type Writable } from './same-again.ts';

async function judgeEmbedded(
  run: { readonly only?: readonly string[] } = {},
  faults: readonly ServiceRuleId[] = [],
): Promise<ServiceResult> {
  return checkService({ ...RUN, ...(await embeddedPair({ faults })), ...run });
}

/** Rules of the run on the sound server whose document is altered. */
const SOME = ['auth/scheme', 'estimate/imei-optional', 'lifecycle/refresh-*', 'lock/*', 'record/*'];

/** Run by some rules on the sound server, which no test changes. */
let sound: ServiceResult;

beforeAll(async () => {
  sound = await judgeEmbedded({ only: ['token/*', ...SOME] });
});

const [plain] = STYLES;

async function expectStyleSameAgain(style: Style): Promise<void> {
  await expectSameAgain(await judgeControlled(style, ['record/pay-type', 'token/scope-echo']));
  const uses = ['general', 'general', 'witness', 'spendable', 'spendable'] as const;
  const metered = await judgeMetered(style, ['auth/scheme'], uses, { allowBan: true });
  await expectSameAgain(metered.result);
}

const REFUSES_AT_TIMES: Style = {
  ...plain!,
  limit: { status: 401, isOver: (number) => number % 4 === 0 },
};

// With one rule broken: see rules/red.test.ts.
/** Leaves out an answer, as a document that would be too large does. */
function leaveOut({ response }: Writable<Exchange>): void {
  const cut = { bodyBytes: response!.bodyBytes, headerFields: 0 };
  Object.assign(response!, { headers: {}, body: '', truncated: true, cut });
}

describe('a stored run, judged again without sending anything,', () => {
  it('on the embedded server comes out the same', { tags: ['long'] }, async () =>
    expectSameAgain(await judgeEmbedded()),
  );

  it('with six metered partners comes out the same, tokens of other rules included', {
    tags: ['long'],
  }, async () => {
    const uses = Array.from({ length: 6 }, () => 'general' as const);
    const { result } = await judgeMetered(plain!, [], uses);
    const rule = result.rules.find(({ id }) => id === 'lifecycle/platform-tokens-coexist');
    expect(rule?.reason).toMatch(/^(?!2 )\d+ platform tokens work beside each other/);
    await expectSameAgain(result);
  });

  it('on a service that refuses at times accuses it of nothing', { tags: ['long'] }, async () => {
    const only = ['token/*', 'signature/*'];
    const result = await judgeControlled(REFUSES_AT_TIMES, [], { only });
    const again = await recheckService(stored(result));
    const fallen = ({ rules }: Pick<ServiceResult, 'rules'>): string[] =>
      rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').map(({ id }) => id);
    expect(fallen(result)).toEqual([]);
    expect(fallen(again)).toEqual([]);
  });

  it('on a service that refused a partner once says why nothing more was sent as it', async () => {
    const style = { ...plain!, limit: { status: 400, isOver: (number: number) => number === 8 } };
    const uses = ['general', 'general', 'general'] as const;
    const only = ['token/nostr-*'];
    const { result } = await judgeMetered(style, ['token/nostr-length'], uses, { only });
    expect(result.sites[0]?.unsent?.length).toBeGreaterThan(0);
    await expectSameAgain(result);
  });

  // Each rule on the other styles: see rules/red.test.ts.
  it('on an outside service comes out the same, controlled and metered', {
    tags: ['long'],
  }, async () => {
    await expectStyleSameAgain(STYLES.find(({ name }) => name === 'odd')!);
  });
});

describe('a document that was altered', () => {
  const rejudge = async (
    alter: (exchange: Writable<ServiceResult>['exchanges'][number]) => void,
    key: string | RegExp,
  ): Promise<ServiceResult> => {
    const document = stored(sound);
    const found = document.exchanges.filter((one) =>
      typeof key === 'string' ? partName(one) === key : key.test(partName(one)),
    );
    expect(found).not.toEqual([]);
    for (const exchange of found) alter(exchange);
    return recheckService(document);
  };
  const verdict = ({ rules }: ServiceResult, id: string): unknown =>
    rules.find((rule) => rule.id === id)?.verdict;
  const changed = (again: ServiceResult): string[] =>
    again.rules.filter(({ id, verdict: now }) => verdict(sound, id) !== now).map(({ id }) => id);

  /** The closing requests of the batches in which a check sent requests. */
  const closingOf = (check: RegExp): RegExp => {
    const ids = sound.exchanges.flatMap((one) =>
      check.test(partName(one)) && one.part?.batch ? [one.part.batch.id] : [],
    );
    return new RegExp(`^around (${[...new Set(ids)].join('|')}):close#1$`);
  };

  it('by the status of a refusal fails that rule', async () => {
    const again = await rejudge(({ response }) => {
      response!.status = 200;
    }, 'token/nostr-length#1');
    expect(changed(again)).toEqual(['token/nostr-length']);
    expect(verdict(again, 'token/nostr-length')).toBe('fail');
    expect(again.verdict).toBe('not-conformant');
    expect(again.rules.find(({ id }) => id === 'token/nostr-length')?.shownBy).toMatch(/^x\d+$/);
  });

  it('by the status of each baseline leaves its rule undecided', { tags: ['long'] }, async () => {
    const again = await rejudge(
      ({ response }) => {
        response!.status = 403;
      },
      closingOf(/^token\/partner-unknown(@|#)/),
    );
    expect(verdict(again, 'token/partner-unknown')).toBe('inconclusive');
  });

  it('by the status of one baseline is named beside a pass on the others', {
    tags: ['long'],
  }, async () => {
    const again = await rejudge(
      ({ response }) => {
        response!.status = 403;
      },
      closingOf(/^token\/partner-unknown@refresh#/),
    );
    const rule = again.rules.find(({ id }) => id === 'token/partner-unknown');
    expect(rule?.verdict).toBe('pass');
    expect(rule?.reason).toContain('not determined on a refresh: the well-formed request');
  });

  it('by a field of a record fails that rule', { tags: ['long'] }, async () => {
    const again = await rejudge(({ response }) => {
      response!.body = response!.body.replace('"currency_code":"CNY"', '"currency_code":"RMB"');
    }, 'estimate/imei-optional#1');
    expect(changed(again)).toEqual(['record/currency-code']);
    expect(verdict(again, 'record/currency-code')).toBe('warn');
  });

  it('by an unchanged refresh_token fails that rule', { tags: ['long'] }, async () => {
    const again = await rejudge(({ request, response }) => {
      const sent = /"refresh_token":"([^"]*)"/.exec(request.body ?? '')?.[0];
      response!.body = response!.body.replace(/"refresh_token":"[^"]*"/, sent ?? '');
    }, 'lifecycle/refresh-single-use#3');
    expect(changed(again)).toContain('lifecycle/refresh-rotates');
    expect(verdict(again, 'lifecycle/refresh-rotates')).toBe('fail');
  });

  it('by the lock of an estimate fails that rule', { tags: ['long'] }, async () => {
    const again = await rejudge(({ response }) => {
      response!.body = response!.body.replace('"locked":true', '"locked":false');
    }, 'lock/default-10-minutes#5');
    expect(changed(again)).toEqual(['lock/default-10-minutes']);
  });

  it('by a removed exchange leaves its rule undecided, and names it', {
    tags: ['long'],
  }, async () => {
    const document = stored(sound);
    const gone = document.exchanges.find((one) => partName(one) === 'auth/scheme#1')!;
    const exchanges = document.exchanges.filter((one) => one !== gone);
    const again = await recheckService({ ...document, exchanges });
    const rule = again.rules.find(({ id }) => id === 'auth/scheme');
    expect(rule).toMatchObject({ verdict: 'inconclusive' });
    expect(rule?.reason).toContain(gone.id);
    expect(changed(again)).toEqual(['auth/scheme']);
  });

  it('by a cut body leaves its rules undecided', { tags: ['long'] }, async () => {
    const again = await rejudge(({ response }) => {
      response!.body = response!.body.slice(0, 40);
      response!.truncated = true;
    }, /^lifecycle\/refresh-single-use(@.*)?#1$/);
    const rule = again.rules.find(({ id }) => id === 'lifecycle/refresh-single-use');
    expect(rule).toMatchObject({ verdict: 'inconclusive' });
    expect(rule?.reason).toContain('is cut in the document');
  });

  it('by answers that were left out stays as it was where they do not matter, and says so', {
    tags: ['long'],
  }, async () => {
    const again = await rejudge(leaveOut, /^token\/nostr-length(@.*)?#/);
    expect(changed(again)).toEqual([]);
    expect(again.notes).toEqual([
      expect.stringMatching(
        /^judged again without what the document leaves out: the responses of \d+ exchanges are cut, the first of them x\d+$/,
      ),
    ]);
  });

  it('by left out answers that no rule points to names them', { tags: ['long'] }, async () => {
    const document = stored(sound);
    for (const rule of document.rules) rule.exchanges = [];
    for (const one of document.exchanges) if (one.request.method === 'POST') leaveOut(one);
    const again = await recheckService(document);
    const rule = again.rules.find(({ id }) => id === 'lifecycle/refresh-rotates');
    expect(rule).toMatchObject({ verdict: 'inconclusive' });
    expect(rule?.reason).toMatch(/; in the document, the responses of \d+ exchanges are cut/);
  });

  it('to have other requests than the checks send accuses nobody', async () => {
    const document = stored(sound);
    for (const one of document.exchanges) one.expects = 'either';
    const again = await recheckService(document);
    expect(again.summary.fail + again.summary.warn).toBe(0);
    expect(again.verdict).toBe('incomplete');
  });

  it('to lack the data to judge again is refused', async () => {
    const { sites: _sites, ...document } = stored(sound);
    await expect(recheckService(document)).rejects.toMatchObject({ code: 'RECHECK_IMPOSSIBLE' });
  });
});

describe('a document with waivers', () => {
  it('keeps them', { tags: ['long'] }, async () => {
    const only = ['token/nostr-*'];
    const run = await judgeEmbedded({ only }, ['token/nostr-length']);
    const waivers = [{ rule: 'token/nostr-*', reason: 'known', until: '2999-12-31' }];
    const document = applyWaivers(run, waivers, false, Date.parse(run.finishedAt));
    const again = await recheckService(stored(document));
    expect(again.summary).toEqual(document.summary);
    expect(again.summary.waived).toBe(1);
    expect(again.waivers).toEqual(document.waivers);
  });

  it('that have expired says so once, where what is cut leaves a rule as it was', {
    tags: ['long'],
  }, async () => {
    const only = ['token/nostr-*'];
    const run = await judgeEmbedded({ only }, ['token/nostr-length']);
    const waivers = [{ rule: 'token/nostr-*', reason: 'known', until: '2020-12-31' }];
    const document = stored(applyWaivers(run, waivers, false, Date.parse(run.finishedAt)));
    const other = document.exchanges.find(({ part }) => part?.check === 'token/nostr-case')!;
    leaveOut(other);
    const reasonIn = ({ rules }: Pick<ServiceResult, 'rules'>): string | undefined =>
      rules.find(({ id }) => id === 'token/nostr-length')?.reason;
    expect(reasonIn(document)).toMatch(/^waiver expired on 2020-12-31 \(known\): (?!waiver)/);
    expect(reasonIn(await recheckService(document))).toBe(reasonIn(document));
  });
});
