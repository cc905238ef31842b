import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { isEstimateList } from '../../../src/load/engine/native/estimate-shape.ts';
import {
  exportForK6,
  type K6Export,
  type LoadOptions,
  planLoad,
  type RunContext,
  runLoad,
  systemClock,
} from '../../../src/load/index.ts';
import { ESTIMATE_RECORD } from '../../support/estimate-record.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type FakeBehaviour, type FakeTarget, startFakeTarget } from '../fake-target.ts';
import { runScript, type ScriptRun, writeExport } from './run-script.ts';
import { typeProblems } from './type-problems.ts';

const TOKEN = 'token-of-the-test';
const KEY = 'signing-key-of-the-test';
const LIFE_S = 3600;

let target: FakeTarget | null = null;
afterEach(async () => {
  await target?.close();
  target = null;
});

async function start(behaviour: FakeBehaviour = {}): Promise<FakeTarget> {
  const tokenText = () =>
    JSON.stringify({
      access_token: TOKEN,
      refresh_token: 'refresh-of-the-test',
      expires_in_second: LIFE_S,
      token_type: 'bearer',
      scope: 'public',
    });
  target = await startFakeTarget({ tokenText, ...behaviour });
  const estimates = {
    plain: { product_type: 'private-car', ride_type: 'compact' },
    express: { product_type: 'express-car', ride_type: 'express' },
  };
  const partners = target.profile.partners.map((one) => ({ ...one, signingKey: KEY }));
  target.profile = { ...target.profile, partners, estimates, headers: { 'X-Tenant': 't' } };
  return target;
}

const optionsOf = (
  { profile }: FakeTarget,
  options: Partial<LoadOptions & RunContext>,
): LoadOptions & RunContext => ({
  profile,
  clock: systemClock(),
  seed: 11,
  ...options,
});

async function exported(
  fake: FakeTarget,
  options: Partial<LoadOptions & RunContext>,
): Promise<K6Export> {
  const load = await planLoad(optionsOf(fake, options));
  return exportForK6(load, { writtenBy: 'fareproof 0.0.0', notTranslated: [] });
}

/** Exports a load and runs the script. */
async function run(
  fake: FakeTarget,
  options: Partial<LoadOptions & RunContext>,
  nowMs = Date.now(),
): Promise<ScriptRun> {
  return runScript(writeExport(temporaryFolder(), await exported(fake, options)), nowMs);
}

describe('the script of a plan', { timeout: 120_000 }, () => {
  it.each(['platform', 'user'] as const)(
    'sends the requests of load, in the same order, with a token of a %s',
    async (identity) => {
      const headers: unknown[] = [];
      const fake = await start({
        estimate: ({ headers: sent }, response) => {
          const { host, 'content-type': type, 'user-agent': agent, 'x-tenant': tenant } = sent;
          headers.push({ host, type, agent, tenant });
          response.end(JSON.stringify([ESTIMATE_RECORD]));
        },
      });
      const base = { connections: 1, identity };
      await runLoad(optionsOf(fake, { ...base, rate: 1000, warmup: '20ms', duration: '60ms' }));
      const sent = [fake.paths, fake.authorizations, headers].map((list) => list.splice(0));
      const ran = await run(fake, { ...base, rate: 20, warmup: '1s', duration: '3s' });
      expect(ran.aborted).toBeNull();
      expect([fake.paths, fake.authorizations, headers]).toEqual(sent);
      expect(new Set(fake.paths).size).toBe(80);
      expect(ran.requests.map(({ scenario }) => scenario)).toEqual([
        ...Array.from({ length: 20 }, () => 'warmup'),
        ...Array.from({ length: 60 }, () => 'measured'),
      ]);
      expect(new Set(ran.requests.map(({ tags }) => tags['stage']))).toEqual(new Set([undefined]));
      expect(ran.counters).toEqual({ estimates_ok: 60, estimates_malformed: 0 });
    },
  );

  it('tags each request with its shape and its stage, and not with its address', async () => {
    const fake = await start();
    const stages = '10/1s,30/1s';
    const { requests } = await run(fake, { stages, warmup: '0', timeout: '2500ms' });
    const product = { plain: 'private-car', express: 'express-car' };
    expect(requests).toHaveLength(40);
    expect(fake.paths.map((path) => /product_type=([a-z-]+)/.exec(path)?.[1])).toEqual(
      requests.map(({ tags }) => product[tags['shape'] as keyof typeof product]),
    );
    expect(new Set(requests.map(({ tags }) => tags['shape'])).size).toBe(2);
    expect(requests.map(({ tags }) => tags['stage'])).toEqual([
      ...Array.from({ length: 20 }, () => '1'),
      ...Array.from({ length: 20 }, () => '2'),
    ]);
    for (const { tags, timeout, redirects } of requests) {
      expect({ name: tags['name'], timeout, redirects }).toEqual({
        name: '/v1/estimates/prices',
        timeout: '2500ms',
        redirects: 0,
      });
    }
  });

  it('fails the answers that load fails', async () => {
    const price = [{ estimate_price: 900 }];
    const info = [{ seat: 1, estimate_price: 900 }];
    const answers: [status: number, body: unknown][] = [
      [200, [ESTIMATE_RECORD]],
      [200, []],
      [200, [{ ...ESTIMATE_RECORD, carpool_tag: 0, carpool_info: null }]],
      [200, [{ ...ESTIMATE_RECORD, carpool_tag: '1', carpool_info: price }]],
      [200, [{ ...ESTIMATE_RECORD, carpool_tag: 2, carpool_info: info }]],
      [200, [{ ...ESTIMATE_RECORD, carpool_tag: 1, carpool_info: info }]],
      [200, [{ ...ESTIMATE_RECORD, carpool_tag: 1, carpool_info: [...price, ...price] }]],
      [200, [{ ...ESTIMATE_RECORD, carpool_tag: 2, carpool_info: price }]],
      [200, [{ ...ESTIMATE_RECORD, carpool_tag: 2, carpool_info: [] }]],
      [200, [{ ...ESTIMATE_RECORD, carpool_tag: 3 }]],
      [200, [{ ...ESTIMATE_RECORD, carpool_tag: 0, carpool_info: info }]],
      [200, [{ ...ESTIMATE_RECORD, estimate_price: 1.5 }]],
      [200, [{ ...ESTIMATE_RECORD, product_type: 'boat' }]],
      [200, [{ ...ESTIMATE_RECORD, estimate_id: '' }]],
      [200, [{ ...ESTIMATE_RECORD, dynamic: '1' }]],
      [200, [{ ...ESTIMATE_RECORD, jump_url: '/a' }]],
      [200, [null]],
      [200, { estimates: [] }],
      [201, [ESTIMATE_RECORD]],
      [302, [ESTIMATE_RECORD]],
      [401, []],
      [500, []],
    ];
    let next = 0;
    const fake = await start({
      estimate: (_request, response) => {
        const [status, body] = answers[next++ % answers.length]!;
        response.statusCode = status;
        if (status === 302) response.setHeader('Location', '/v1/estimates/prices');
        response.end(JSON.stringify(body));
      },
    });
    const ran = await run(fake, { stages: `${answers.length}/1s`, warmup: '0', validate: 1 });
    const shown = answers.map(([status, body]) => ({
      status: status === 200,
      body: status === 200 ? isEstimateList(body) : undefined,
    }));
    expect(shown.filter(({ body }) => body === false)).toHaveLength(13);
    const of = (part: string) => ran.checks.filter(({ name }) => name.startsWith(part));
    expect(of('status').map(({ isPassed }) => isPassed)).toEqual(shown.map(({ status }) => status));
    expect(of('body').map(({ isPassed }) => isPassed)).toEqual(
      shown.flatMap(({ body }) => (body === undefined ? [] : [body])),
    );
    expect(ran.counters).toEqual({ estimates_ok: 5, estimates_malformed: 13 });
    const judged = ran.trends['estimates_duration'] ?? [];
    expect(judged.filter((ms) => ms === 1)).toHaveLength(5);
    expect(judged.filter((ms) => ms > 1e8)).toHaveLength(answers.length - 5);
    expect(ran.requests.map(({ status }) => status)).toEqual(answers.map(([status]) => status));
    expect(new Set(ran.requests.map(({ tags }) => tags['stage']))).toEqual(new Set(['1']));
  });

  it('reads the first answer of each scenario, and as many as --validate says', {
    tags: ['long'],
  }, async () => {
    const fake = await start();
    const { requests } = await run(fake, { rate: 25, duration: '1s', validate: 0.1 });
    const read = requests.flatMap(({ responseType }, at) => (responseType === 'text' ? [at] : []));
    expect(read).toEqual([0, 10, 20, 25, 35, 45]);
    const none = await run(fake, { rate: 4, warmup: '0', duration: '1s', validate: 0 });
    expect(none.requests.map(({ responseType }) => responseType)).toEqual(Array(4).fill('none'));
  });

  it('ends at once where the run would outlast the token', { tags: ['long'] }, async () => {
    const fake = await start();
    const files = await exported(fake, { rate: 3, warmup: '1s', duration: '4s' });
    const path = writeExport(temporaryFolder(), files);
    const endMs = Date.parse(files.validUntil ?? '');
    const late = await runScript(path, endMs - 10_000);
    expect(late.requests).toEqual([]);
    expect(late.aborted).toContain(`valid until ${files.validUntil}`);
    expect(late.aborted).toContain('fareproof export k6');
    const during = await runScript(path, endMs - 2000, '--no-setup');
    expect(during.aborted).toBe(late.aborted);
    expect(during.requests.map(({ scenario }) => scenario)).toEqual([
      ...Array.from({ length: 3 }, () => 'warmup'),
      ...Array.from({ length: 3 }, () => 'measured'),
    ]);
    const inTime = await runScript(path, endMs - 10_001);
    expect({ aborted: inTime.aborted, sent: inTime.requests.length }).toEqual({
      aborted: null,
      sent: 15,
    });
  });

  it('has no secret, and keeps the token beside it', async () => {
    const fake = await start();
    const { script, requests, issuer } = await exported(fake, { rate: 3 });
    expect(script).not.toContain(TOKEN);
    expect(script).not.toContain('Bearer');
    expect(requests).toContain(TOKEN);
    for (const text of [script, requests]) {
      expect(text).not.toContain('refresh-of-the-test');
      expect(text).not.toContain(KEY);
    }
    expect(issuer).toBeNull();
  });

  it('is refused for a token that ends before the run', async () => {
    const fake = await start();
    const longest = {
      rate: 3,
      warmup: '1s',
      durationMs: (LIFE_S - 7) * 1000,
      timeout: '5s',
    };
    await expect(exported(fake, longest)).resolves.toHaveProperty('script');
    const tooLong = { ...longest, duration: `${LIFE_S - 6}s` };
    await expect(exported(fake, tooLong)).rejects.toMatchObject({ code: 'TOKEN_TOO_SHORT' });
  });

  it('has the types that k6 declares', async () => {
    const fake = await start();
    const stages = '10-30.5/1s';
    const abortOn = ['errors>5%'];
    const ramp = await exported(fake, { stages, abortOn, threshold: ['p99<20ms', 'rate>1/s'] });
    const closed = await exported(fake, { connections: 2, newConnections: true });
    const folder = temporaryFolder();
    writeFileSync(`${folder}/ramp.js`, ramp.script);
    writeFileSync(`${folder}/closed.js`, closed.script);
    const wrong = [
      ['executor": "ramping-arrival-rate', 'executor": "ramping-arrivals'],
      ['noConnectionReuse', 'noConnectionReuses'],
      ['responseType: isRead', 'response: isRead'],
      ['iterationInTest', 'iterationInTests'],
    ] as const;
    for (const [index, [from, to]] of wrong.entries()) {
      expect(ramp.script).toContain(from);
      writeFileSync(`${folder}/wrong-${index}.js`, ramp.script.replace(from, to));
    }
    const problems = await typeProblems(folder);
    expect(Object.keys(problems).sort()).toEqual(wrong.map((_, index) => `wrong-${index}.js`));
    expect(readFileSync(`${folder}/ramp.js`, 'utf8')).toBe(ramp.script);
  });
});
