import { describe, expect, it } from 'vitest';
import { cutToSize } from '../../../src/conformance/service/cut-to-size.ts';
import type { RuleResult } from '../../../src/documents/conformance.ts';
import type { Exchange } from '../../../src/documents/exchange.ts';

const BODY_CHARACTERS = 1000;

function exchange(number: number, body = 'b'.repeat(BODY_CHARACTERS)): Exchange {
  return {
    id: `x${number}`,
    at: '2026-01-31T09:00:00.000Z',
    purpose: 'an estimate',
    partnerId: 'p',
    request: { method: 'GET', url: 'http://x/', headers: {}, body: null },
    response: {
      status: 200,
      headers: { a: '1', b: '2' },
      body,
      bodyBytes: Buffer.byteLength(body),
      truncated: false,
    },
    error: null,
    durationMs: 1,
    part: { check: 'a/rule', number },
  };
}

const rule = (more: Partial<RuleResult>): RuleResult => ({
  id: 'r',
  level: 'must',
  statement: '',
  section: '',
  verdict: 'pass',
  reason: '',
  clock: null,
  exchanges: [],
  ...more,
});

const RULES = [
  rule({ exchanges: ['x2', 'x3'] }),
  rule({ verdict: 'fail', exchanges: ['x1', 'x5'], shownBy: 'x5' }),
];

/** The same exchange with another method, status or mark of a cut. */
const changed = (
  one: Exchange,
  { method = 'GET', ...answer }: Partial<NonNullable<Exchange['response']>> & { method?: string },
): Exchange => ({
  ...one,
  request: { ...one.request, method },
  response: { ...one.response!, ...answer },
});

const CUT = { truncated: true, cut: { bodyBytes: 1, headerFields: 0 } };
/** Of each kind one, the most useful first: a violation, another one of that rule, a token, and so on. */
const ALL = [
  exchange(5),
  exchange(1),
  changed(exchange(2), { method: 'POST' }),
  exchange(6),
  changed(exchange(3), { status: 400 }),
  changed(exchange(4), CUT),
];
const bytesOf = (exchanges: readonly Exchange[]): number =>
  Buffer.byteLength(exchanges.map((one) => JSON.stringify(one)).join(',\n    '));
/** Bytes of a document of these exchanges and rules. */
const sizeOf = (exchanges: readonly Exchange[], others: object): number =>
  bytesOf(exchanges) + Buffer.byteLength(JSON.stringify(others, null, 2));
const cutIn = (exchanges: readonly Exchange[]): string[] =>
  exchanges.filter(({ response }) => response?.cut).map(({ id }) => id);

/** Bytes by which leaving out one answer makes a document smaller, at least. */
const SAVED = BODY_CHARACTERS - 60;

describe('the exchanges of a document', () => {
  it('stay as they are if they fit', () => {
    expect(cutToSize(ALL, { rules: RULES })).toBe(ALL);
  });

  it.each([1, 2, 3, 4, 5, 6])('lose the least useful answers first: %s', (answers) => {
    const others = { rules: RULES };
    const most = sizeOf(ALL, others) - (answers - 1) * BODY_CHARACTERS - SAVED / 2;
    const fitting = cutToSize(ALL, others, most);
    const without = fitting.filter(({ response }) => response?.body === '');
    expect(without).toEqual(fitting.slice(-answers));
    expect(sizeOf(fitting, others)).toBeLessThanOrEqual(most);
  });

  it('keep a short refusal that shows a violation, however large the document', () => {
    const refusals = [5, 6].map((number) =>
      changed(exchange(number, 'b'.repeat(300)), { status: 400 }),
    );
    expect(cutIn(cutToSize(refusals, { rules: RULES }, 10))).toEqual(['x6']);
  });

  it('keep the one that a diagnosis points to', () => {
    const diagnosis = { finding: '', remedy: '', exchange: 'x1', isWhole: true };
    const others = { rules: [], diagnosis };
    const all = [exchange(1), exchange(6)];
    const most = sizeOf(all, others) - SAVED / 2;
    expect(cutIn(cutToSize(all, others, most))).toEqual(['x6']);
  });

  it('lose the longest of equal use first, and count what is lost', () => {
    const long = 'ж'.repeat(2 * BODY_CHARACTERS);
    const all = [exchange(1), exchange(6, long)];
    const others = { rules: [] };
    const [first, second] = cutToSize(all, others, sizeOf(all, others) - SAVED);
    expect(first).toBe(all[0]);
    expect(second?.response).toEqual({
      status: 200,
      headers: {},
      body: '',
      bodyBytes: 4 * BODY_CHARACTERS,
      truncated: true,
      cut: { bodyBytes: 4 * BODY_CHARACTERS, headerFields: 2 },
    });
  });

  it('keep accepted answers of usual length, however large the document', () => {
    const usual = 'b'.repeat(600);
    const all = [exchange(1, usual), changed(exchange(2, usual), { status: 400 })];
    expect(cutIn(cutToSize(all, { rules: [] }, 10))).toEqual(['x2']);
  });

  it('keep answers that are shorter than the note of their cut', () => {
    const all = [exchange(1, ''), exchange(2)];
    const short = { ...all[0]!, response: { ...all[0]!.response!, headers: {} } };
    expect(cutIn(cutToSize([short, all[1]!], { rules: [] }, 10))).toEqual(['x2']);
  });
});
