import { describe, expect, it } from 'vitest';
import { certifyClient } from '../../../src/conformance/client/certify-client.ts';
import { recheckClient } from '../../../src/conformance/client/recheck.ts';
import type { RunClient } from '../../../src/conformance/client/scenario/run-scenario.ts';
import { scenarioSchema } from '../../../src/conformance/client/scenario/scenario.ts';
import { sampleRunner } from '../../../src/conformance/client/selfcheck/selfcheck-clients.ts';
import { CLIENT_RULES } from '../../../src/interface/index.ts';
import { parseDocument, SCHEMA_VERSION } from '../../../src/report/index.ts';
import { SCENARIOS, sleepingWorld } from './reference.ts';

const world = sleepingWorld();
const common = { ...world, name: 'a client', seed: 5, atOnce: 1 };

const named = (...names: string[]) => SCENARIOS.filter(({ name }) => names.includes(name));
const run = async (scenarios: typeof SCENARIOS, runClient: RunClient) =>
  (await certifyClient({ ...common, scenarios, runClient })).result;
const verdictOf = (result: Awaited<ReturnType<typeof run>>, rule: string) =>
  result.rules.find(({ id }) => id === rule);

const silent: RunClient = async () => ({ exitCode: 0, ended: 'by-itself', output: '' });

describe('a scenario', () => {
  it('is strict in its shape', () => {
    const [first] = SCENARIOS;
    const broken = [
      { ...first, surplus: 1 },
      { ...first, judges: ['client/no-such-rule'] },
      { ...first, atLeast: 99 },
      { ...first, goesOnRule: 'token/scope-echo' },
      { ...first, stimuli: [{ on: 'estimate', nth: 1, do: { answer: { status: 200 } } }] },
      { ...first, stimuli: [{ on: 'estimate', nth: 1, do: { cut: true, delayMs: 5 } }] },
    ];
    expect(scenarioSchema.safeParse(first).success).toBe(true);
    for (const scenario of broken) expect(scenarioSchema.safeParse(scenario).success).toBe(false);
  });

  it('leaves no client rule without one that can judge it', async () => {
    const result = await run(SCENARIOS, silent);
    expect(result.rules.filter(({ verdict }) => verdict === 'excluded')).toEqual([]);
  });
});

describe('a client that', { timeout: 120_000 }, () => {
  it('sends nothing passes nothing', async () => {
    const result = await run(SCENARIOS, silent);
    expect(result.summary).toMatchObject({ pass: 0, fail: 0, inconclusive: CLIENT_RULES.length });
    expect(result.scenarios.every(({ verdict }) => verdict === 'inconclusive')).toBe(true);
    expect(verdictOf(result, 'client/lost-answer-handled')?.reason).toBe(
      'a refresh was not sent (lost-answer)',
    );
    expect(result.verdict).toBe('incomplete');
  });

  it('ends before the stimulus is inconclusive, with what was missing', async () => {
    const result = await run(named('lost-answer'), (environment, ...rest) =>
      sampleRunner({}, world, 1)({ ...environment, FAREPROOF_ESTIMATES: '2' }, ...rest),
    );
    expect(verdictOf(result, 'client/lost-answer-handled')?.verdict).toBe('inconclusive');
    expect(result.scenarios).toMatchObject([{ verdict: 'inconclusive', missing: ['a refresh'] }]);
  });

  it('stops short after the stimulus fails', async () => {
    const result = await run(named('carpool', 'steady-platform'), (environment, ...rest) =>
      sampleRunner({}, world, 1)({ ...environment, FAREPROOF_ESTIMATES: '2' }, ...rest),
    );
    expect(verdictOf(result, 'client/carpool-tolerated')).toMatchObject({ verdict: 'fail' });
    expect(result.scenarios.map(({ verdict }) => verdict)).toEqual(['fail', 'fail']);
    expect(result.verdict).toBe('not-conformant');
  });

  it('stops for another mistake of its own is not accused of the scenario', async () => {
    const quirks = { tokenAuthorization: (id: string, text: string) => `Bearer ${id} ${text}` };
    const result = await run(named('failures'), sampleRunner(quirks, world, 1));
    const red = result.rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
    expect(red).toEqual(['client/token-authorization']);
  });
});

describe('the document', { timeout: 120_000 }, () => {
  it('holds to its shape, shows no secret, and can be judged again', async () => {
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

  it('masks what the client wrote', async () => {
    const { result, outputs } = await certifyClient({
      ...common,
      scenarios: named('steady-platform'),
      runClient: async (environment) => ({
        exitCode: 1,
        ended: 'by-itself',
        output: `key ${environment.FAREPROOF_SIGNING_KEY}`,
      }),
    });
    expect(outputs['steady-platform']).toBe('key [signing_key partner-steady-platform]');
    expect(result.notes.join(' ')).toContain('exit code 1');
  });
});
