import { describe, expect, it } from 'vitest';
import { certifyClient } from '../../../src/conformance/client/certify-client.ts';
import { recheckClient } from '../../../src/conformance/client/judging/judge-client.ts';
import type { RunClient } from '../../../src/conformance/client/scenario/run-scenario.ts';
import { sampleRunner } from '../../../src/conformance/client/selfcheck/judge-sample.ts';
import { SCHEMA_VERSION } from '../../../src/documents/base.ts';
import { parseDocument } from '../../../src/documents/run-document.ts';
import { CLIENT_RULES, sign } from '../../../src/interface/index.ts';
import { toConsole } from '../../../src/report/index.ts';
import { QUERY } from './client-traffic.ts';
import { oneByOne, SCENARIOS, sleepingWorld } from './reference.ts';

const world = sleepingWorld();
const common = { ...world, name: 'a client', seed: 5, concurrency: 1, orders: 'yes' } as const;

const named = (...names: string[]) => SCENARIOS.filter(({ name }) => names.includes(name));
const run = async (scenarios: typeof SCENARIOS, runClient: RunClient) =>
  (await certifyClient({ ...common, scenarios, runClient })).result;
const verdictOf = (result: Awaited<ReturnType<typeof run>>, rule: string) =>
  result.rules.find(({ id }) => id === rule);

/** On a refusal, drops its refresh_token, sends the auth code again, and gives up. */
const forgetful: RunClient = async (env) => {
  let nostr = 0;
  const { FAREPROOF_BASE_URL: base, FAREPROOF_PARTNER_ID: id } = env;
  const signed = (pairs: Record<string, string>) =>
    `${id}|${sign(pairs, env.FAREPROOF_SIGNING_KEY)}`;
  const ask = async () => {
    const fields = {
      grant_type: 'authorization_code',
      auth_code: env.FAREPROOF_AUTH_CODE,
      scope: 'public rides.read rides.request',
      _: new Date(world.now()).toISOString(),
      nostr: `n0000${++nostr}`,
    };
    const headers = {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${signed(fields)}`,
    };
    const body = JSON.stringify(fields);
    const answer = await fetch(`${base}/v1/oauth/token`, { method: 'POST', headers, body });
    return answer.ok ? ((await answer.json()) as { access_token: string }).access_token : null;
  };
  const token = await ask();
  for (;;) {
    await world.sleep(100);
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Authorization: `Bearer ${signed(QUERY)} openid|${token}`,
    };
    const query = new URLSearchParams(QUERY).toString();
    const answer = await fetch(`${base}/v1/estimates/prices?${query}`, { headers });
    await answer.text();
    if (answer.status === 401 && (await ask()) === null) {
      return { exitCode: 1, ended: 'by-itself', output: [] };
    }
  }
};

const silent: RunClient = async () => ({ exitCode: 0, ended: 'by-itself', output: [] });

describe('the scenarios', () => {
  it('can judge every client rule', async () => {
    const result = await run(SCENARIOS, silent);
    expect(result.rules.filter(({ verdict }) => verdict === 'excluded')).toEqual([]);
  });
});

describe('a client that', () => {
  it('sends nothing passes nothing', async () => {
    const result = await run(SCENARIOS, silent);
    expect(result.summary).toMatchObject({ pass: 0, fail: 0, inconclusive: CLIENT_RULES.length });
    expect(result.scenarios.every(({ verdict }) => verdict === 'inconclusive')).toBe(true);
    expect(verdictOf(result, 'client/lost-answer-handled')?.reason).toContain(
      'the client did not send a refresh (lost-answer)',
    );
    expect(result.verdict).toBe('incomplete');
  });

  it('sends a body beyond the limit is shown, and accused of nothing else', async () => {
    const result = await run(named('steady-platform'), async (env) => {
      const answer = await fetch(`${env.FAREPROOF_BASE_URL}/v1/oauth/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: 'Bearer p|0' },
        body: JSON.stringify({ padding: 'x'.repeat(70_000) }),
      }).catch(() => null);
      await answer?.text();
      return { exitCode: 1, ended: 'by-itself', output: [] };
    });
    expect(result.exchanges).toMatchObject([{ response: { status: 413 } }]);
    expect(result.rules.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(result.scenarios).toMatchObject([
      { verdict: 'fail', reason: expect.stringMatching(/refused the bytes x1 with status 413/) },
    ]);
  });

  it('ends before the stimulus is inconclusive, with what is missing', async () => {
    const result = await run(named('lost-answer'), (environment, ...rest) =>
      sampleRunner({}, world, 1)({ ...environment, FAREPROOF_ESTIMATES: '2' }, ...rest),
    );
    expect(verdictOf(result, 'client/lost-answer-handled')?.verdict).toBe('inconclusive');
    expect(result.scenarios).toMatchObject([
      {
        verdict: 'inconclusive',
        missing: ['a refresh'],
        reason: 'the client stopped short; let it continue to FAREPROOF_ESTIMATES estimates',
      },
    ]);
  });

  it.each([
    ['interrupted', 'the run was interrupted; run it again'],
    ['time-limit', 'the client was stopped at the time limit; let it exit once it has'],
  ] as const)('ends as it is %s is not told to continue', async (ended, reason) => {
    const result = await run(named('steady-platform'), async () => ({
      exitCode: null,
      ended,
      output: [],
    }));
    expect(result.scenarios).toMatchObject([
      { verdict: 'inconclusive', reason: expect.stringContaining(reason) as string },
    ]);
  });

  it('stops short after the stimulus fails where a rule says that it continues', async () => {
    const result = await run(named('carpool', 'steady-platform'), (environment, ...rest) =>
      sampleRunner({}, world, 1)({ ...environment, FAREPROOF_ESTIMATES: '2' }, ...rest),
    );
    expect(verdictOf(result, 'client/carpool-tolerated')).toMatchObject({ verdict: 'fail' });
    expect(result.scenarios).toMatchObject([
      { name: 'carpool', verdict: 'fail' },
      { name: 'steady-platform', verdict: 'inconclusive', missing: ['10 more of 12 estimates'] },
    ]);
    expect(result.verdict).toBe('not-conformant');
  });

  it('stops short because its auth code is used up is inconclusive, with what to do', async () => {
    const result = await run(named('newer-user-token'), forgetful);
    expect(verdictOf(result, 'client/user-token-newest')?.verdict).toBe('pass');
    expect(result).toMatchObject({
      verdict: 'incomplete',
      scenarios: [
        {
          verdict: 'inconclusive',
          missing: ['5 more of 12 estimates'],
          reason: expect.stringMatching(
            /stopped short, as it sent its auth code again, .*; let it refresh its token$/,
          ),
        },
      ],
    });
  });

  it('ends with an exit code at a refused token request is accused of nothing', async () => {
    const result = await run(named('refused-tokens'), sampleRunner({ maxRefusals: 1 }, world, 1));
    expect(result.rules.filter(({ verdict }) => /fail|warn/.test(verdict))).toEqual([]);
    expect(result.scenarios).toMatchObject([
      { verdict: 'inconclusive', exitCode: 1, reason: expect.stringMatching(/stopped short/) },
    ]);
  });

  it('replaces its platform tokens early can be certified', { tags: ['long'] }, async () => {
    const client: RunClient = (environment, ...rest) => {
      const refreshes = environment.FAREPROOF_MODE === 'user';
      return sampleRunner({ refreshes, marginMs: 900 }, world, 1)(environment, ...rest);
    };
    const result = await run(SCENARIOS, oneByOne(client));
    expect(result.scenarios.filter(({ verdict }) => !/pass|warn/.test(verdict))).toEqual([]);
    expect(result).toMatchObject({ verdict: 'conformant', complete: true });
  });

  it('replaces its platform tokens early exercises no answer to a refresh', async () => {
    const early = sampleRunner({ refreshes: false, marginMs: 900 }, world, 1);
    const result = await run(named('lost-answer'), early);
    expect(result.scenarios).toMatchObject([
      { verdict: expect.stringMatching(/pass|warn/), notExercised: ['refreshes'] },
    ]);
    expect(result.notes.join()).toContain('Not exercised: refreshes; the client replaces');
  });

  it('replaces its platform tokens late cannot', async () => {
    const result = await run(named('lost-answer'), (environment, ...rest) =>
      sampleRunner({ refreshes: false, marginMs: -50 }, world, 1)(environment, ...rest),
    );
    expect(result.scenarios).toMatchObject([{ verdict: 'inconclusive', missing: ['a refresh'] }]);
  });

  it('leaves a scenario undecided is incomplete, even if no rule is', async () => {
    const [carpool] = named('carpool');
    const open = { ...carpool!, goesOnRule: null };
    const result = await run([open], (environment, ...rest) =>
      sampleRunner({}, world, 1)({ ...environment, FAREPROOF_ESTIMATES: '6' }, ...rest),
    );
    expect(verdictOf(result, 'client/carpool-tolerated')?.verdict).toBe('pass');
    expect(result.summary).toMatchObject({ fail: 0, inconclusive: 0 });
    expect(result.scenarios).toMatchObject([
      { verdict: 'inconclusive', missing: ['1 more of 8 estimates'] },
    ]);
    expect(result).toMatchObject({ verdict: 'incomplete', complete: false });
  });

  it('is interrupted before its scenarios passes none of them', async () => {
    const { result } = await certifyClient({
      ...common,
      scenarios: SCENARIOS,
      runClient: silent,
      signal: AbortSignal.abort(),
    });
    expect(result).toMatchObject({ verdict: 'incomplete', complete: false, interrupted: true });
    expect(result.summary).toMatchObject({ pass: 0, inconclusive: CLIENT_RULES.length });
    expect(result.scenarios.map(({ name }) => name)).toEqual(SCENARIOS.map(({ name }) => name));
  });

  it('stops because of another mistake does not break the rule of the scenario', async () => {
    const quirks = { tokenAuthorization: (id: string, text: string) => `Bearer ${id} ${text}` };
    const result = await run(named('failures'), sampleRunner(quirks, world, 1));
    const red = result.rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
    expect(red).toEqual(['client/token-authorization']);
  });
});

it('reports each scenario at its end, with the verdict of the result', {
  tags: ['long'],
}, async () => {
  const quirks = { sign: () => '0'.repeat(32) };
  const ended: unknown[] = [];
  const { result } = await certifyClient({
    ...common,
    scenarios: named('steady-user', 'steady-platform', 'ban'),
    runClient: sampleRunner(quirks, world, 1),
    onScenario: ({ name, verdict }) => void ended.push({ name, verdict }),
  });
  const verdicts = result.scenarios.map(({ name, verdict }) => ({ name, verdict }));
  expect(verdicts.map(({ verdict }) => verdict)).toContain('fail');
  expect(ended).toHaveLength(verdicts.length);
  expect(ended).toEqual(expect.arrayContaining(verdicts));
});

describe('client/scope-on-behalf', () => {
  const ON_BEHALF = 'client/scope-on-behalf';
  const onlyPublic = sampleRunner({ scope: () => 'public' }, world, 1);
  const judged = async (orders: 'yes' | 'no' | null, scenario = 'steady-user') => {
    const scenarios = named(scenario);
    const certified = await certifyClient({ ...common, scenarios, runClient: onlyPublic, orders });
    return certified.result;
  };

  it('is judged where the client is declared to order for users', async () => {
    const result = await judged('yes');
    expect(verdictOf(result, ON_BEHALF)?.verdict).toBe('fail');
    expect(result).toMatchObject({
      orders: 'yes',
      verdict: 'not-conformant',
      scenarios: [{ verdict: 'fail', reason: `breaks ${ON_BEHALF}` }],
    });
  });

  it('is excluded where the client is declared to order nothing', async () => {
    const result = await judged('no');
    expect(verdictOf(result, ON_BEHALF)).toMatchObject({
      verdict: 'excluded',
      reason: expect.stringContaining('declared') as string,
    });
    expect(result).toMatchObject({
      orders: 'no',
      verdict: 'conformant',
      complete: true,
      scenarios: [{ verdict: 'pass' }],
    });
  });

  it('is untestable, with the remedy, where nothing is declared', async () => {
    const result = await judged(null);
    expect(verdictOf(result, ON_BEHALF)).toMatchObject({
      verdict: 'untestable',
      remedy: expect.stringMatching(/orders to yes .* to no, which excludes it/) as string,
    });
    expect(result).toMatchObject({
      orders: null,
      verdict: 'incomplete',
      complete: false,
      scenarios: [{ verdict: 'pass' }],
    });
    const again = recheckClient(JSON.parse(JSON.stringify(result)));
    expect(again).toMatchObject({ verdict: 'incomplete', rules: result.rules });
  });

  it('needs no declaration where no scenario of the run tests it', async () => {
    const result = await judged(null, 'unknown-fields');
    expect(verdictOf(result, ON_BEHALF)?.verdict).toBe('excluded');
    expect(result.verdict).toBe('conformant');
  });
});

describe('the document', () => {
  it('fits its schema, contains no secret, and can be judged again', {
    tags: ['long'],
  }, async () => {
    const secrets: string[] = [];
    const result = await run(named('newer-user-token', 'failures'), (environment, ...rest) => {
      secrets.push(environment.FAREPROOF_SIGNING_KEY, environment.FAREPROOF_AUTH_CODE);
      const quirks = { accepts: () => true, nostr: () => 'a1B2c3' };
      return sampleRunner(quirks, world, 1)(environment, ...rest);
    });
    const document = {
      schemaVersion: SCHEMA_VERSION,
      tool: { name: 'fareproof', version: '0.0.0' },
      ...result,
    };
    const text = JSON.stringify(parseDocument(JSON.parse(JSON.stringify(document))));
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/Bearer partner-[a-z-]+\|[0-9a-f]{32}/);
    expect(verdictOf(result, 'client/failure-handled')?.verdict).toBe('fail');
    const again = recheckClient(JSON.parse(text));
    expect(again?.rules).toEqual(result.rules);
    expect(again?.verdict).toBe(result.verdict);
  });

  it('counts the rules that a run of one scenario leaves out', async () => {
    const result = await run(named('unknown-fields'), sampleRunner({}, world, 1));
    const left = result.summary.excluded;
    expect(result).toMatchObject({ verdict: 'conformant', complete: true });
    expect(left).toBeGreaterThan(1);
    const tool = { name: 'fareproof', version: '0.0.0' };
    const document = parseDocument(
      JSON.parse(JSON.stringify({ schemaVersion: SCHEMA_VERSION, tool, ...result })),
    );
    expect(toConsole(document, { color: false })).toContain(
      `Complete: every rule of the suite was judged; ${left} excluded.`,
    );
  });

  it('redacts what the client wrote', async () => {
    const { result, outputs } = await certifyClient({
      ...common,
      scenarios: named('steady-platform'),
      runClient: async (environment) => ({
        exitCode: 1,
        ended: 'by-itself',
        output: [
          { stream: 'stdout', text: `key ${environment.FAREPROOF_SIGNING_KEY.slice(0, 7)}` },
          { stream: 'stderr', text: `unused ${environment.FAREPROOF_AUTH_CODE}\n` },
          { stream: 'stdout', text: `${environment.FAREPROOF_SIGNING_KEY.slice(7)}!` },
        ],
      }),
    });
    expect(outputs['steady-platform']).toBe(
      'key [signing_key partner-steady-platform]unused [auth_code 1]\n!',
    );
    expect(result.notes.join(' ')).toContain('exit code 1');
  });
});
