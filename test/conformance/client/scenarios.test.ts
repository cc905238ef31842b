import { describe, expect, it } from 'vitest';
import { certifyClient } from '../../../src/conformance/client/certify-client.ts';
import type {
  ClientEnvironment,
  RunClient,
} from '../../../src/conformance/client/scenario/run-scenario.ts';
import { sampleRunner } from '../../../src/conformance/client/selfcheck/judge-sample.ts';
import type { Quirks } from '../../../src/conformance/client/selfcheck/sample-requests.ts';
import { sign } from '../../../src/interface/index.ts';
import { NOON, QUERY } from './client-traffic.ts';
import { oneByOne, SCENARIOS, sleepingWorld } from './reference.ts';

/** Certifies the sample client in one scenario; the quirks may depend on what it was told. */
async function certify(
  scenario: string,
  quirks: (environment: ClientEnvironment, run: number) => Quirks | null = () => ({}),
  options: Partial<Parameters<typeof certifyClient>[0]> = {},
) {
  const world = sleepingWorld();
  const environments: ClientEnvironment[] = [];
  const runClient: RunClient = async (environment, ...rest) => {
    environments.push(environment);
    const given = quirks(environment, environments.length);
    if (given === null) return { exitCode: 1, ended: 'by-itself', output: [] };
    return sampleRunner(given, world, environments.length)(environment, ...rest);
  };
  const { result } = await certifyClient({
    ...world,
    name: 'a client',
    seed: 5,
    concurrency: 1,
    orders: 'yes',
    scenarios: SCENARIOS.filter(({ name }) => name === scenario),
    runClient: oneByOne(runClient),
    ...options,
  });
  const broken = result.rules.filter(({ verdict }) => /fail|warn/.test(verdict));
  return {
    result,
    environments,
    broken: broken.map(({ id }) => id),
    scenario: result.scenarios[0],
  };
}

describe('a client that is given texts', () => {
  it('passes with them, and exercises them', async () => {
    const { environments, broken, scenario } = await certify('texts');
    expect(environments[0]?.FAREPROOF_FROM_NAME).toMatch(
      /^[A-Z][a-z]{5} 天安门 & "Tor=1" \+50% 'A' cafe\u0301 &eacute;$/,
    );
    expect(environments[0]?.FAREPROOF_IMEI).toBe('');
    expect(broken).toEqual([]);
    expect(scenario).toMatchObject({ verdict: 'pass' });
    expect(scenario).not.toHaveProperty('notExercised');
  });

  it('is told how to use them if it ignores them', async () => {
    const plain = {
      query: (query: Record<string, string>) => ({ ...query, from_name: 'A', to_name: 'B' }),
    };
    const { result, scenario } = await certify('texts', () => plain);
    expect(scenario).toMatchObject({ verdict: 'pass', notExercised: ['texts'] });
    expect(result.notes.join()).toMatch(/Not exercised: texts; .*FAREPROOF_FROM_NAME/);
  });

  it.each<[string, (text: string) => string]>([
    ['encodes them twice', encodeURIComponent],
    ['cuts them at a sign', (text) => text.split('&')[0] ?? ''],
    ['reads them as Latin-1', (text) => Buffer.from(text).toString('latin1')],
    ['escapes their quotes', (text) => text.replace(/["']/g, '\\$&')],
  ])('and %s breaks client/estimate-encoding', async (_mistake, change) => {
    const query = (pairs: Record<string, string>) => ({
      ...pairs,
      from_name: change(pairs['from_name'] ?? ''),
    });
    const { broken, result } = await certify('texts', () => ({ query }));
    expect(broken).toEqual(['client/estimate-encoding']);
    expect(result.verdict).toBe('not-conformant');
  });

  it('and changes them in a way of its own is warned', async () => {
    const query = (pairs: Record<string, string>) => ({
      ...pairs,
      to_name: `${pairs['to_name']} (east)`,
    });
    const { broken, result } = await certify('texts', () => ({ query }));
    expect(broken).toEqual(['client/estimate-encoding']);
    expect(result.verdict).toBe('conformant');
  });

  it('and leaves out a name of 0 breaks client/estimate-parameters', async () => {
    const query = (pairs: Record<string, string>) =>
      Object.fromEntries(Object.entries(pairs).filter(([, text]) => text !== '0'));
    expect((await certify('other-place')).broken).toEqual([]);
    expect((await certify('other-place', () => ({ query }))).broken).toEqual([
      'client/estimate-parameters',
    ]);
  });
});

describe('in another place', () => {
  it('local time as UTC is too old or too new', async () => {
    const time = (nowMs: number) => new Date(nowMs + 5.5 * 3_600_000).toISOString();
    const { broken, environments } = await certify('other-place', ({ TZ }) => (TZ ? { time } : {}));
    expect(environments[0]).toMatchObject({ TZ: 'Asia/Kolkata', LC_ALL: 'de_DE.UTF-8' });
    expect(broken).toEqual(['client/timestamp-fresh']);
  });

  it('what this machine has no data for is not exercised', async () => {
    const { environments, scenario } = await certify('other-place', () => ({}), {
      lacks: ['TZ', 'LC_ALL'],
    });
    expect(environments[0]).not.toHaveProperty('TZ');
    expect(scenario).toMatchObject({ verdict: 'pass', notExercised: ['time zone', 'locale'] });
  });
});

describe('a redirect to another origin', () => {
  /** Follows redirects, with its Authorization or without. */
  const following =
    (withAuthorization: boolean): RunClient =>
    async (env) => {
      const {
        FAREPROOF_BASE_URL: base,
        FAREPROOF_PARTNER_ID: id,
        FAREPROOF_SIGNING_KEY: key,
      } = env;
      const fields = {
        grant_type: 'client_credentials',
        _: new Date(NOON).toISOString(),
        nostr: 'a1B2c3',
      };
      const json = {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${id}|${sign(fields, key)}`,
      };
      const ask = () =>
        fetch(`${base}/v1/oauth/token`, {
          method: 'POST',
          headers: json,
          body: JSON.stringify(fields),
        });
      const token = await ask();
      const { access_token: access } = (await (token.ok ? token : await ask()).json()) as {
        access_token: string;
      };
      const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const headers = { ...type, Authorization: `Bearer ${id}|${access}` };
      for (let nth = 1; nth <= 22; nth++) {
        const url = `${base}/v1/estimates/prices?${new URLSearchParams(QUERY).toString()}`;
        const answer = await fetch(url, { headers, redirect: 'manual' });
        const location = answer.headers.get('location');
        await answer.text();
        if (location !== null)
          await fetch(location, { headers: withAuthorization ? headers : type });
      }
      return { exitCode: 0, ended: 'by-itself', output: [] };
    };

  it('gets no token of a client that leaves out Authorization there', async () => {
    const { broken, result } = await certify('failures', undefined, {
      runClient: following(false),
    });
    expect(result.exchanges.filter(({ observed }) => observed.isRedirected)).toHaveLength(1);
    expect(broken).toEqual(['client/nostr-random']);
  });

  it('gets the token of one that does not, which fails the scenario', async () => {
    const { broken, scenario } = await certify('failures', undefined, {
      runClient: following(true),
    });
    expect(broken).toContain('client/secrets-in-place');
    expect(scenario).toMatchObject({
      verdict: 'fail',
      reason: expect.stringContaining('gave a secret to another origin') as string,
    });
  });
});

describe('a client that is started again', () => {
  it('is run twice as one partner', async () => {
    const { environments, broken, scenario } = await certify('restart');
    const [first, second] = environments;
    expect(environments).toHaveLength(2);
    expect(second).toEqual(first);
    expect([broken, scenario?.verdict]).toEqual([[], 'pass']);
  });

  it('and ends badly in its second run has not shown it', async () => {
    const { scenario } = await certify('restart', (_, run) => (run === 1 ? {} : null));
    expect(scenario).toMatchObject({ verdict: 'inconclusive', exitCode: 1 });
  });
});

describe('four processes', () => {
  it('are one partner, and asked for eight estimates', async () => {
    const { environments, broken, scenario } = await certify('four-processes');
    expect(new Set(environments.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(environments).toHaveLength(4);
    expect([broken, scenario?.verdict]).toEqual([[], 'pass']);
  });

  it('that draw the same texts repeat a nostr', async () => {
    const world = sleepingWorld();
    const runClient: RunClient = (...given) => sampleRunner({}, world, 1)(...given);
    const { broken } = await certify('four-processes', undefined, {
      ...world,
      runClient: oneByOne(runClient),
    });
    expect(broken).toEqual(['client/nostr-random']);
  });
});

it('tells a client nothing of the scenario that it is in', async () => {
  const scenarios = SCENARIOS.filter(({ name }) => /carpool|steady|unknown/.test(name));
  const seen = async (seed: number) => {
    const { environments } = await certify('', undefined, { scenarios, seed, isBlind: true });
    return environments.map((env) => [
      env.FAREPROOF_SCENARIO,
      env.FAREPROOF_PARTNER_ID,
      env.FAREPROOF_MODE,
      env.FAREPROOF_ESTIMATES,
      env.FAREPROOF_INTERVAL_MS,
    ]);
  };
  const [one, again, other] = [await seen(1), await seen(1), await seen(2)];
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
  expect(JSON.stringify([one, other])).not.toMatch(/carpool|steady|unknown/);
  const drawn = (column: number) =>
    [one, other].map((rows) =>
      rows.map((row) => row[column]).toSorted((a, b) => String(a).localeCompare(String(b))),
    );
  for (const column of [0, 4]) expect(drawn(column)[0]).not.toEqual(drawn(column)[1]);
});
