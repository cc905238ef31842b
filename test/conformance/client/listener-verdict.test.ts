import { describe, expect, it } from 'vitest';
import { Listener } from '../../../src/conformance/client/listener.ts';
import { recheckClient } from '../../../src/conformance/client/recheck.ts';
import { ALL_FIELDS } from '../../../src/conformance/client/signature/sent-signature.ts';
import type { CapturedExchange } from '../../../src/conformance/client/traffic/captured.ts';
import { CLIENT_RULES } from '../../../src/interface/index.ts';
import { parseDocument, SCHEMA_VERSION, toConsole } from '../../../src/report/index.ts';
import { estimate, KNOWN_PARTNER, refresh, tokenRequest } from './client-traffic.ts';

const about = {
  target: { name: 'a client', baseUrl: 'http://127.0.0.1:1', environment: 'production' },
  startedAt: '2026-03-02T12:00:00.000Z',
  finishedAt: '2026-03-02T12:01:00.000Z',
};

function listened(exchanges: readonly CapturedExchange[], isEmbedded = true) {
  const listener = new Listener(
    {
      partners: [KNOWN_PARTNER],
      baseUrlOf: () => 'http://127.0.0.1:1',
      signedFields: ALL_FIELDS,
    },
    isEmbedded,
  );
  const told = exchanges.flatMap((exchange) => listener.take(exchange).broken);
  return { told: told.map(({ rule }) => rule), result: listener.result(about) };
}

const shown = (result: ReturnType<Listener['result']>) =>
  toConsole(
    parseDocument(
      JSON.parse(
        JSON.stringify({
          schemaVersion: SCHEMA_VERSION,
          tool: { name: 'fareproof', version: '0.0.0' },
          ...result,
        }),
      ),
    ),
    { color: false },
  );

describe('a client that was listened to', () => {
  it.each([true, false])('and sent nothing is inconclusive in every rule (embedded: %s)', (is) => {
    const { result } = listened([], is);
    expect(result).toMatchObject({ verdict: 'incomplete', complete: false });
    expect(result.summary).toMatchObject({ pass: 0, inconclusive: CLIENT_RULES.length });
    expect(result.rules.find(({ id }) => id === 'client/signature')?.reason).toBe(
      'no signature that can be checked was sent',
    );
    expect(shown(result)).not.toMatch(/Complete: every rule/);
  });

  it.each([true, false])(
    'and sent one right token request is incomplete, with what was missing (embedded: %s)',
    (is) => {
      const { result } = listened([tokenRequest('a')], is);
      expect(result).toMatchObject({ verdict: 'incomplete', complete: false });
      expect(result.summary).toMatchObject({ fail: 0, inconclusive: 0, excluded: 0 });
      expect(result.summary.pass).toBeGreaterThan(0);
      const refreshed = result.rules.find(({ id }) => id === 'client/refresh-newest');
      expect(refreshed).toMatchObject({ verdict: 'untestable', reason: 'no refresh was sent' });
      const scripted = result.rules.find(({ id }) => id === 'client/carpool-tolerated');
      expect(scripted?.reason).toContain('no scenario that tests it was run');
      expect(shown(result)).toMatch(/Not complete: \d+ rules could not be judged/);
      expect(recheckClient(JSON.parse(JSON.stringify(result)))).toMatchObject({
        verdict: 'incomplete',
        complete: false,
        rules: result.rules,
      });
    },
  );

  it('and broke a rule is not conformant', () => {
    const { told, result } = listened([tokenRequest('a', { method: 'PUT' })]);
    expect(told).toEqual(['client/token-method']);
    expect(result).toMatchObject({ verdict: 'not-conformant', complete: false });
  });

  it('is not told of a pool of tokens that each of them is dropped', () => {
    const pool = ['a', 'b', 'c', 'd'];
    const opened = pool.flatMap((token, n) => [
      tokenRequest(token, { at: n * 1000 }),
      estimate(token, { at: n * 1000 + 100 }),
    ]);
    const used = pool.map((token, n) => estimate(token, { at: 5000 + n * 100 }));
    expect(listened([...opened, ...used]).told).toEqual([]);
    const dropped = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].flatMap((token, n) => [
      tokenRequest(token, { at: n * 1000 }),
      estimate(token, { at: n * 1000 + 100 }),
    ]);
    expect(listened(dropped).told).toContain('client/token-reused');
  });

  it('and serves two partners is judged for each apart', () => {
    const other = (n: number) =>
      tokenRequest(`o${n}`, { at: n * 1000 + 500, headers: { authorization: 'Bearer p-2|x' } });
    const six = (of: (n: number) => CapturedExchange) => Array.from({ length: 6 }, (_, n) => of(n));
    const both = [...six((n) => tokenRequest(`t${n}`, { at: n * 1000 })), ...six(other)];
    expect(listened(both).told).not.toContain('client/quota-platform');
  });

  it('passes what its refreshes show', () => {
    const { result } = listened([tokenRequest('a'), refresh('a', 'b', { at: 7000_000 })]);
    expect(result.rules.find(({ id }) => id === 'client/refresh-newest')?.verdict).toBe('pass');
  });
});
