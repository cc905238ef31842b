import { expect, it } from 'vitest';
import { Evidence } from '../../../../src/conformance/service/wire/evidence.ts';
import { judgeMetered } from '../../../independent-service/judge.ts';
import { STYLES } from '../../../independent-service/style.ts';
import fc from '../../../support/property.ts';

it('a result has no signing key, token, code or signature', {
  tags: ['long'],
}, async () => {
  const { result, service } = await judgeMetered(
    STYLES[2]!,
    ['record/jump-url'],
    ['general', 'general'],
  );
  const text = JSON.stringify(result);
  const secrets = [
    ...[...service.partners.values()].flatMap(({ key, codes }) => [key, ...codes.keys()]),
    ...service.tokens.keys(),
    ...service.refreshes.keys(),
    'code-0-0',
  ];
  expect(secrets.length).toBeGreaterThan(20);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  expect(text).not.toMatch(/[|" ][0-9a-f]{32}[|" ]/);
  expect(text).toMatch(/\[access_token \d+\]/);
  expect(text).toMatch(/\[signature \d+\]/);
});

it('each verdict refers to existing exchanges, and each failure to a command that repeats it', {
  tags: ['long'],
}, async () => {
  const { result } = await judgeMetered(STYLES[0]!, ['token/nostr-length'], ['general', 'general']);
  const ids = new Set(result.exchanges.map(({ id }) => id));
  const lost = result.rules.flatMap((rule) => rule.exchanges.filter((id) => !ids.has(id)));
  expect(lost).toEqual([]);
  const bare = result.rules.filter(
    ({ verdict, exchanges }) => verdict === 'pass' && exchanges.length === 0,
  );
  expect(bare.map(({ id }) => id)).toEqual([]);
  const broken = result.rules.find(({ id }) => id === 'token/nostr-length');
  expect(broken?.curl).toMatch(/^curl -i -X POST "http.*\$\{SIGNATURE_\d+\}/);
});

it('a service that echoes all secrets in each answer puts none into the result', {
  tags: ['long'],
}, async () => {
  const uses = ['general', 'general', 'witness'] as const;
  const broken = ['record/jump-url', 'token/response-token-type'];
  const told = new Set<string>();
  const { result, service } = await judgeMetered(
    STYLES[0]!,
    broken,
    uses,
    { onRule: ({ reason }) => told.add(reason) },
    (one) => {
      one.gossips = true;
    },
  );
  const text = JSON.stringify(result) + [...told].join(' ');
  const secrets = [
    ...[...service.partners.values()].map(({ key }) => key),
    ...[0, 1, 2].flatMap((at) => [0, 1, 2, 3, 4, 5].map((number) => `code-${at}-${number}`)),
    ...service.tokens.keys(),
    ...service.refreshes.keys(),
  ];
  expect(secrets.length).toBeGreaterThan(40);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  expect(text).toContain('x-gossip');
  expect(text).toContain('[signing_key partner-2]');
});

const secretTexts = fc.uniqueArray(
  fc
    .string({ minLength: 6, maxLength: 60 })
    .filter((text) => !/[[\]]/.test(text) && text.trim().length > 5),
  { minLength: 1, maxLength: 12 },
);

it('no exchange has a secret of the run in any part, whenever it became known', () => {
  fc.assert(
    fc.property(secretTexts, fc.string(), fc.nat(11), (secrets, between, late) => {
      const evidence = new Evidence();
      const known = secrets.filter((_, at) => at !== late);
      for (const secret of known) evidence.redactor.add('access_token', secret);
      const text = secrets.join(`|${between}|`);
      const encoded = secrets.map(encodeURIComponent).join('&');
      evidence.record(
        evidence.nextId(),
        { purpose: text, partnerId: null },
        { method: 'POST', url: `http://x/?q=${encoded}`, headers: { a: text }, body: text },
        {
          response: {
            status: 200,
            headers: { b: text },
            body: JSON.stringify({ text }),
            bodyBytes: 1,
            truncated: false,
          },
          error: null,
        },
        { atMs: 0, durationMs: 0 },
      );
      for (const secret of secrets) evidence.redactor.add('refresh_token', secret);
      const [kept] = evidence.exchanges;
      const parts = [
        kept?.purpose,
        kept?.request.url,
        kept?.request.headers['a'],
        kept?.request.body,
        kept?.response?.headers['b'],
        kept?.response?.body,
        evidence.redactWithin({ deep: [text] }).deep[0],
      ];
      for (const part of parts) {
        const shown = (part ?? '').replaceAll(/\[[a-z_]+ \d+\]/g, '\u0000');
        for (const secret of secrets) {
          expect(shown).not.toContain(secret);
          expect(shown).not.toContain(encodeURIComponent(secret));
        }
      }
    }),
    { numRuns: 200 },
  );
});

it('a secret at the cut of a long body is not split, and a few long bodies are kept whole', () => {
  const evidence = new Evidence();
  const secret = 's3cret-'.repeat(10);
  evidence.redactor.add('access_token', secret);
  const keep = (body: string, truncated: boolean): string => {
    const response = { status: 200, headers: {}, body, bodyBytes: body.length, truncated };
    const request = { method: 'GET', url: 'http://x/', headers: {}, body: null };
    const label = { purpose: 'p', partnerId: null };
    const times = { atMs: 0, durationMs: 0 };
    return evidence.record(evidence.nextId(), label, request, { response, error: null }, times)()
      .response!.body;
  };
  const cut = keep(`${'x'.repeat(16_384 - 20)}${secret}${'y'.repeat(99_999)}`, true);
  expect(cut).toBe(`${'x'.repeat(16_384 - 20)}[access_token 1]`);
  const long = 'l0ng-'.repeat(20_000);
  evidence.redactor.add('access_token', long);
  const start = 'x'.repeat(16_384 - 20);
  expect(keep(start + long, true)).toBe(`${start}[part of access_token 2]`);
  const whole = 'z'.repeat(900_000);
  expect(keep(whole, false)).toBe(whole);
  for (let more = 0; more < 12; more++) keep(whole, false);
  expect(keep(whole, false)).toHaveLength(256);
});

/** Stores as many answers of that body and headers, and returns the evidence. */
function flooded(count: number, body: string, headers: Record<string, string>): Evidence {
  const evidence = new Evidence();
  const request = { method: 'GET', url: 'http://x/', headers: {}, body: null };
  const label = { purpose: 'p', partnerId: null };
  for (let sent = 0; sent < count; sent++) {
    const response = { status: 200, headers, body, bodyBytes: body.length, truncated: false };
    const times = { atMs: 0, durationMs: 0 };
    const id = evidence.nextId();
    evidence.record(id, label, request, { response, error: null }, times);
    if (sent === count / 2) evidence.keepWhole(id);
  }
  return evidence;
}

it('a target of long answers and heads fills no memory, and what is cut is counted', () => {
  const body = '\u0001'.repeat(50_000);
  const headers = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`x-${at}`, '"'.repeat(100)]),
  );
  const { exchanges } = flooded(200, body, headers);
  expect(exchanges[0]?.response).toEqual({
    status: 200,
    headers,
    body,
    bodyBytes: 50_000,
    truncated: false,
  });
  const cut = exchanges[99]?.response;
  expect(cut).toMatchObject({ truncated: true, bodyBytes: 50_000 });
  expect(cut?.cut).toEqual({ bodyBytes: 50_000 - (cut?.body.length ?? 0), headerFields: 99 });
  expect(Object.keys(cut?.headers ?? {})).toEqual(['x-0']);
  const characters = exchanges.reduce((sum, one) => sum + (one.response?.body.length ?? 0), 0);
  expect(characters).toBeLessThan(900_000);
});

it('an answer that shows a violation is kept, though it came after the space was taken', () => {
  const { exchanges } = flooded(600, 'y'.repeat(12_000), { 'x-long': 'z'.repeat(9_000) });
  const violation = exchanges[300]?.response;
  expect(violation).toMatchObject({ truncated: false, body: 'y'.repeat(12_000) });
  expect(exchanges[299]?.response?.body).toHaveLength(256);
});

it('of a huge answer that shows a violation the start is kept', () => {
  const { exchanges } = flooded(100, 'y'.repeat(60_000), {});
  const violation = exchanges[50]?.response;
  expect(violation?.body).toHaveLength(16_384);
  expect(violation?.cut).toEqual({ bodyBytes: 60_000 - 16_384, headerFields: 0 });
});
