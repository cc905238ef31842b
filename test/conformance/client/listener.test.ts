import { describe, expect, it } from 'vitest';
import { recheckClient } from '../../../src/conformance/client/judging/judge-client.ts';
import { Listener } from '../../../src/conformance/client/listener.ts';
import type { CapturedExchange } from '../../../src/conformance/client/traffic/captured.ts';
import { ALL_FIELDS } from '../../../src/conformance/signature/signing-context.ts';
import { SCHEMA_VERSION } from '../../../src/documents/base.ts';
import { parseDocument } from '../../../src/documents/run-document.ts';
import { CLIENT_RULES } from '../../../src/interface/index.ts';
import { toConsole } from '../../../src/report/index.ts';
import { estimate, KNOWN_PARTNER, refresh, tokenRequest } from './client-traffic.ts';

const about = {
  target: { name: 'a client', baseUrl: 'http://127.0.0.1:1', environment: 'production' },
  startedAt: '2026-03-02T12:00:00.000Z',
  finishedAt: '2026-03-02T12:01:00.000Z',
};

function listenTo(
  exchanges: readonly CapturedExchange[],
  isEmbedded = true,
  orders: 'yes' | 'no' | null = 'yes',
) {
  const listener = new Listener(
    {
      partners: [KNOWN_PARTNER],
      baseUrlOf: () => 'http://127.0.0.1:1',
      signedFields: ALL_FIELDS,
      orders,
    },
    isEmbedded,
  );
  const reported = exchanges.flatMap((exchange) => listener.take(exchange).broken);
  return { reported: reported.map(({ rule }) => rule), result: listener.result(about) };
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

describe('a client that is listened to', () => {
  it.each([true, false])('and sends nothing is inconclusive in every rule (embedded: %s)', (is) => {
    const { result } = listenTo([], is);
    expect(result).toMatchObject({ verdict: 'incomplete', complete: false });
    expect(result.summary).toMatchObject({ pass: 0, inconclusive: CLIENT_RULES.length });
    expect(result.rules.find(({ id }) => id === 'client/signature')?.reason).toBe(
      'no signature that can be checked was sent',
    );
    expect(shown(result)).not.toMatch(/Complete: every rule/);
  });

  it.each([true, false])(
    'and sends one right token request is incomplete, with what is missing (embedded: %s)',
    (is) => {
      const { result } = listenTo([tokenRequest('a')], is);
      expect(result).toMatchObject({ verdict: 'incomplete', complete: false });
      expect(result.summary).toMatchObject({ fail: 0, inconclusive: 0, excluded: 0 });
      expect(result.summary.pass).toBeGreaterThan(0);
      const refreshed = result.rules.find(({ id }) => id === 'client/refresh-newest');
      expect(refreshed).toMatchObject({ verdict: 'untestable', reason: 'no refresh was sent' });
      const scripted = result.rules.find(({ id }) => id === 'client/carpool-tolerated');
      expect(scripted?.reason).toContain('no scenario that tests it was run');
      expect(shown(result)).toMatch(/Not complete: \d+ rules not judged/);
      expect(recheckClient(JSON.parse(JSON.stringify(result)))).toMatchObject({
        verdict: 'incomplete',
        complete: false,
        rules: result.rules,
      });
    },
  );

  it.each([
    ['yes', ['client/scope-on-behalf'], 'fail'],
    ['no', [], 'excluded'],
    [null, [], 'untestable'],
  ] as const)(
    'and orders for users (%s) is judged by the scopes for that',
    (orders, broken, verdict) => {
      const fields = { grant_type: 'authorization_code', auth_code: 'c', scope: 'public' };
      const { reported, result } = listenTo([tokenRequest('a', { fields })], true, orders);
      expect(reported).toEqual(broken);
      expect(result.rules.find(({ id }) => id === 'client/scope-on-behalf')?.verdict).toBe(verdict);
    },
  );

  it('and breaks a rule is not conformant', () => {
    const { reported, result } = listenTo([tokenRequest('a', { method: 'PUT' })]);
    expect(reported).toEqual(['client/token-method']);
    expect(result).toMatchObject({ verdict: 'not-conformant', complete: false });
  });

  it('may keep a pool of tokens, but not abandon each of them', () => {
    const pool = ['a', 'b', 'c', 'd'];
    const opened = pool.flatMap((token, n) => [
      tokenRequest(token, { at: n * 1000 }),
      estimate(token, { at: n * 1000 + 100 }),
    ]);
    const used = pool.map((token, n) => estimate(token, { at: 5000 + n * 100 }));
    expect(listenTo([...opened, ...used]).reported).toEqual([]);
    const dropped = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].flatMap((token, n) => [
      tokenRequest(token, { at: n * 1000 }),
      estimate(token, { at: n * 1000 + 100 }),
    ]);
    expect(listenTo(dropped).reported).toContain('client/token-reused');
  });

  it('and serves two partners is judged for each of them', () => {
    const other = (n: number) => tokenRequest(`o${n}`, { at: n * 1000 + 500, partner: 'p-2' });
    const six = (of: (n: number) => CapturedExchange) => Array.from({ length: 6 }, (_, n) => of(n));
    const both = [...six((n) => tokenRequest(`t${n}`, { at: n * 1000 })), ...six(other)];
    expect(listenTo(both).reported).not.toContain('client/quota-platform');
  });

  it('passes a rule that its refreshes show', () => {
    const { result } = listenTo([tokenRequest('a'), refresh('a', 'b', { at: 7000_000 })]);
    expect(result.rules.find(({ id }) => id === 'client/refresh-newest')?.verdict).toBe('pass');
  });
});
