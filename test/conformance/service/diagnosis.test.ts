import { afterEach, describe, expect, it } from 'vitest';
import {
  type CheckServiceOptions,
  checkService,
  FULL_SUITE,
  recheckService,
  type ServiceResult,
} from '../../../src/conformance/index.ts';
import {
  diagnose,
  explained,
  unservedPartners,
  unsignedFields,
} from '../../../src/conformance/service/diagnosis.ts';
import { type Judgement, unsent, untestable } from '../../../src/conformance/verdict.ts';
import type { ConformanceDocument } from '../../../src/documents/conformance.ts';
import { toGithubAnnotations } from '../../../src/report/index.ts';
import { describeProfile, type FaultId, startServer } from '../../../src/server/index.ts';
import { withVerdict } from '../../independent-service/judge.ts';
import { MeteredRun, ruleOf } from '../../independent-service/metered-run.ts';
import { runClock } from '../../independent-service/run-clock.ts';
import { STYLES } from '../../independent-service/style.ts';
import { expectSameAgain, stored } from './recheck/same-again.ts';

const BASE_URL = 'http://127.0.0.1:8080';
const AT = '2026-03-01T00:30:00.000Z';

type Exchange = ConformanceDocument['exchanges'][number];
interface Given {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly partner?: string;
  readonly what?: string;
  readonly path?: string;
}

let count = 0;

/** Bodies of token requests. */
const GRANTS: Readonly<Record<string, string>> = {
  'platform request': '{"grant_type":"client_credentials"}',
  refresh: '{"grant_type":"refresh_token","refresh_token":"r"}',
};

/** A well-formed request and its answer. */
function exchange({
  status = 401,
  body = '{"error":"signature"}',
  headers = {},
  partner = 'p-100',
  what = 'platform request',
  path = '/v1/oauth/token',
}: Given): Exchange {
  return {
    id: `x${++count}`,
    at: AT,
    purpose: `baseline before: a well-formed ${what}`,
    partnerId: partner,
    request: { method: 'POST', url: BASE_URL + path, headers: {}, body: GRANTS[what] ?? null },
    part: { step: 'open', number: 1 },
    response: { status, headers, body, bodyBytes: body.length, truncated: false },
    error: null,
    durationMs: 1,
  };
}

const TOKEN = { status: 200, body: '{"access_token":"t"}' };

const causeOf = (...given: readonly Given[]) => diagnose(given.map(exchange), BASE_URL);

describe('one cause behind many verdicts', () => {
  it('is not looked for where a token was issued to each partner', () => {
    expect(causeOf(TOKEN, {})).toBeNull();
    expect(causeOf(TOKEN, { ...TOKEN, partner: 'p-200' })).toBeNull();
  });

  it('is a wrong key or an unknown partner, with the answer', () => {
    expect(causeOf({}, {})).toMatchObject({
      finding:
        'The target refuses every well-formed token request of p-100. Its response: status 401, {"error":"signature"}.',
      remedy: expect.stringContaining('Check partner id, signingKey'),
      isWhole: true,
    });
  });

  it('is not in the profile where the control API made the partner', () => {
    const made = [{ ...exchange({}), targetAt: '2026-03-02T12:00:00.000Z' }];
    expect(diagnose(made, BASE_URL)).toMatchObject({
      remedy: expect.stringMatching(/^The control API made the partner/),
    });
  });

  it('may concern one partner of several', () => {
    expect(causeOf(TOKEN, { partner: 'p-200' })).toMatchObject({
      finding: expect.stringContaining('every well-formed token request of p-200.'),
      isWhole: false,
    });
  });

  it('is a list of signed fields that is too short, for every request or for those of a grant', () => {
    const [refused, accepted] = [exchange({ what: 'refresh' }), exchange(TOKEN)];
    const ofRefresh = diagnose([accepted, refused], BASE_URL, [], ['grant_type']);
    expect(ofRefresh).toMatchObject({
      finding: expect.stringContaining(
        'every well-formed token request with refresh_token, which signature.tokenFields of the profile leaves out',
      ),
      remedy: expect.stringContaining('remove signature.tokenFields'),
      isWhole: false,
      exchange: refused.id,
    });
    expect(diagnose([refused], BASE_URL, [], ['_'])?.finding).toContain(
      'with grant_type, refresh_token,',
    );
    const unsigned = (signed: 'all' | string[], some = [accepted, refused]) => [
      ...unsignedFields(some, BASE_URL, signed),
    ];
    expect(unsigned(['grant_type'])).toEqual(['refresh_token']);
    expect(unsigned('all')).toEqual([]);
    expect(unsigned(['grant_type', 'refresh_token'])).toEqual([]);
    expect(unsigned(['_'], [accepted, exchange({})])).toEqual([]);
  });

  it('is no partner where a grant is refused to all: that is a rule', () => {
    expect(
      causeOf({ ...TOKEN, what: 'exchange of an auth code' }, { partner: 'p-200' }),
    ).toBeNull();
    expect(causeOf(TOKEN, { partner: 'p-200', what: 'exchange of an auth code' })).toBeNull();
  });

  it('is another service at the address', () => {
    const page = { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>No</h1>' };
    expect(causeOf(page)).toMatchObject({
      finding: `Nothing at ${BASE_URL}/v1/oauth/token answers like the token endpoint. Its response: status 404 (text/html), <h1>No</h1>.`,
      remedy: expect.stringContaining('path prefix'),
    });
    expect(causeOf({ status: 200, body: 'welcome' })?.finding).toContain('answers like');
    expect(causeOf({ status: 404, body: '{"error":"not found"}' })?.finding).toContain(
      'answers like',
    );
  });

  it('is an address that redirects, or a port that speaks https', () => {
    const location = 'https://rides.example.com/v1/oauth/token';
    const redirect = causeOf({ status: 301, headers: { location } });
    expect(redirect).toMatchObject({
      remedy: expect.stringMatching(/^Write the address with https in baseUrl/),
    });
    expect(redirect?.finding).toContain(`redirects to ${location}`);
    const body = '<h1>The plain HTTP request was sent to HTTPS port</h1>';
    expect(causeOf({ status: 400, body })?.finding).toContain('speaks https');
  });

  it('is a clock that is more than ten minutes off', () => {
    const dated = (date: string): Given => ({ headers: { date } });
    expect(causeOf(dated('Sun, 01 Mar 2026 02:30:00 GMT'))?.finding).toContain(
      "120 minutes ahead of this machine's",
    );
    expect(causeOf(dated('Sun, 01 Mar 2026 00:00:00 GMT'))?.finding).toContain('30 minutes behind');
    expect(causeOf(dated('Sun, 01 Mar 2026 00:35:00 GMT'))?.finding).toContain('refuses every');
  });
});

describe('in a run', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
  });

  async function judgedWith(
    signingKey: string | null,
    more: Partial<CheckServiceOptions> & {
      readonly isMetered?: true;
      readonly faults?: readonly FaultId[];
      readonly tokenFields?: readonly string[];
    } = {},
  ): Promise<ServiceResult> {
    const { isMetered, faults = [], tokenFields = 'all', ...options } = more;
    // The server's Date header is of the machine.
    const clock = runClock(Date.now);
    const partners = ['demo', 'other'].map((id) => ({
      id,
      signingKey: `the key of ${id}`,
      authCodes: [1, 2, 3].map((number) => `code-${number}-of-${id}`),
    }));
    const server = await startServer({ faults, clock, partners });
    closing.push(() => server.close());
    const profile = describeProfile(server);
    const all = signingKey === null ? profile.partners : profile.partners.slice(0, 1);
    return checkService({
      ledger: 'none',
      target: {
        ...profile,
        signature: { ...profile.signature, tokenFields },
        ...(isMetered && { control: undefined }),
        partners: all.map((one) => ({ ...one, signingKey: signingKey ?? one.signingKey })),
      },
      suite: FULL_SUITE,
      only: ['token/nostr-*'],
      seed: 1,
      clock,
      timeoutMs: 10_000,
      maxRate: null,
      allowBan: false,
      requireComplete: false,
      ...options,
    });
  }

  it('a wrong key is said once, and the rules refer to it', async () => {
    const result = await judgedWith('wrong');
    expect(result.verdict).toBe('incomplete');
    expect(result.diagnosis?.finding).toContain('every well-formed token request of demo.');
    const reasons = new Set(
      result.rules.filter(({ verdict }) => verdict === 'inconclusive').map(({ reason }) => reason),
    );
    expect([...reasons]).toEqual(['no well-formed token request was accepted']);
    const document = {
      ...result,
      schemaVersion: 1,
      tool: { name: 'fareproof', version: '0' },
    } as const;
    expect(toGithubAnnotations(document).trim().split('\n')).toEqual([
      expect.stringMatching(/^::error title=diagnosis::The target refuses every/),
    ]);
  });

  it('a wrong key of a metered profile breaks no rule, also when the run is judged again', {
    tags: ['long'],
  }, async () => {
    const isMetered = true;
    const result = await judgedWith('wrong', { isMetered, only: [] });
    expect(result.diagnosis?.isWhole).toBe(true);
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
    expect(ruleOf(result, 'signature/valid-accepted')).toMatchObject({
      verdict: 'inconclusive',
      reason: 'no well-formed token request was accepted',
    });
    await expectSameAgain(result);
  });

  describe.each(['token/grant-client-credentials', 'token/grant-authorization-code'] as const)(
    'judged alone, %s',
    (rule) => {
      const alone = { isMetered: true, only: [rule] } as const;

      it('fails where another grant shows that a key is right, and two partners are refused', async () => {
        const result = await judgedWith(null, { ...alone, faults: [rule] });
        expect(result.diagnosis).toBeUndefined();
        expect(withVerdict(result, 'fail')).toEqual([rule]);
      });

      it('does not fail for a wrong key', async () => {
        const result = await judgedWith('wrong', alone);
        expect(result.diagnosis?.isWhole).toBe(true);
        expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
      });
    },
  );

  it('a list of signed fields without auth_code breaks no rule on auth codes', async () => {
    const tokenFields = ['grant_type', '_', 'nostr', 'refresh_token'];
    const only = ['token/grant-*'];
    const result = await judgedWith(null, { isMetered: true, only, tokenFields });
    expect(result.diagnosis?.finding).toContain('token request with auth_code,');
    expect(ruleOf(result, 'token/grant-authorization-code')).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('its signature.tokenFields may be too short'),
    });
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
    await expectSameAgain(result);
  });

  it('one without scope breaks no rule on scopes, or on requests with one', async () => {
    const tokenFields = ['grant_type', '_', 'nostr', 'refresh_token', 'auth_code'];
    const only = ['token/scope-echo', 'token/timestamp-fresh'];
    const result = await judgedWith(null, { only, tokenFields });
    expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
    expect(result.diagnosis?.finding).toContain('token request with scope,');
    await expectSameAgain(result);
  });

  it('a right key brings none', async () => {
    expect((await judgedWith(null)).diagnosis).toBeUndefined();
  });
});

describe('a rule that nothing was sent for', () => {
  const whole = { ...diagnose([exchange({})], BASE_URL)! };
  const reasonOf = ({ verdict, reason, isUnsent }: Judgement): string =>
    explained({ verdict: verdict as 'untestable', reason: `${reason}` }, whole, {
      isUnsent,
      isOfProfile: true,
      unserved: new Set(),
      unsigned: new Set(),
    }).reason;

  it('has the diagnosis as its reason', () => {
    expect(reasonOf(unsent('no partner'))).toBe('no well-formed token request was accepted');
  });

  it('keeps any other reason', () => {
    expect(whole.isWhole).toBe(true);
    expect(reasonOf(untestable('it needs a control API'))).toBe('it needs a control API');
  });
});

describe('a refusal by which a rule is broken', () => {
  const outcome = { verdict: 'fail', reason: 'refused' } as const;
  const shown = exchange({ partner: 'p-200' });
  const explainedBy = (others: readonly Given[], isOfProfile = true) => {
    const unserved = unservedPartners([shown, ...others.map(exchange)], BASE_URL);
    return explained(outcome, null, { shown, isOfProfile, unserved, unsigned: new Set() });
  };

  it('proves nothing if that partner of the profile is accepted for nothing, and another is', () => {
    expect(explainedBy([TOKEN])).toMatchObject({
      verdict: 'inconclusive',
      reason: expect.stringContaining('accepted no token request of p-200'),
    });
  });

  it('proves it if the partner is accepted for something, or is not of the profile', () => {
    expect(explainedBy([TOKEN, { ...TOKEN, partner: 'p-200' }])).toBe(outcome);
    expect(explainedBy([TOKEN], false)).toBe(outcome);
  });
});

const LONG = { tags: ['long'] };

describe('one wrong key of four, in a second run of the day', () => {
  it.each([
    [0, 1],
    [1, 3],
    [3, 2],
  ])('that of partner %i breaks no rule (seed %i)', LONG, async (wrong, seed) => {
    const uses = ['general', 'general', 'general', 'general'] as const;
    const run = new MeteredRun(STYLES[0]!, [], uses, { seed });
    await run.service.start();
    try {
      run.partners[wrong] = { ...run.partners[wrong]!, signingKey: 'wrong' };
      await run.judge('start');
      // Most allowances are spent: nearly all that is left is that of the refused partner.
      const result = await run.judge('start');
      expect(withVerdict(result, 'fail', 'warn')).toEqual([]);
      const again = await recheckService(stored(result));
      expect(withVerdict(again, 'fail', 'warn')).toEqual([]);
    } finally {
      await run.service.stop();
    }
  });
});
