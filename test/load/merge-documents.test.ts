import { afterEach, describe, expect, it } from 'vitest';
import type { LoadDocument } from '../../src/documents/load.ts';
import {
  type LoadOptions,
  type LoadPart,
  mergeDocuments,
  type RunContext,
  runLoad,
  systemClock,
} from '../../src/load/index.ts';
import { ESTIMATE_BODY, type FakeTarget, startFakeTarget } from './fake-target.ts';

let fake: FakeTarget | undefined;
afterEach(async () => {
  await fake?.close();
  fake = undefined;
});

const TOOL = { name: 'fareproof', version: '1.2.3' };
/** The time of day stands still: a part starts a second after it is ready, however long that takes. */
const CLOCK = { ...systemClock(), now: () => 0 };
const START_AT_MS = 1000;

async function startTarget(): Promise<FakeTarget> {
  fake = await startFakeTarget({ estimate: (_request, response) => response.end(ESTIMATE_BODY) });
  const [partner] = fake.profile.partners;
  return {
    ...fake,
    profile: { ...fake.profile, partners: [{ ...partner!, accessToken: 'own-7' }] },
  };
}

async function run(
  target: FakeTarget,
  part?: LoadPart,
  options: LoadOptions & Partial<RunContext> = {},
): Promise<LoadDocument> {
  const result = await runLoad({
    ledger: 'none',
    profile: target.profile,
    clock: CLOCK,
    seed: 1,
    rate: 200,
    arrivals: 'poisson',
    warmup: '100ms',
    duration: '500ms',
    timeout: '60s',
    placement: 'inline',
    part,
    threshold: ['rate>1', 'p99<50s'],
    ...options,
  });
  return { ...result, tool: TOOL };
}

const partsOf = (target: FakeTarget, of: number, options: LoadOptions & Partial<RunContext> = {}) =>
  Promise.all(
    Array.from({ length: of }, (_, index) =>
      run(target, { number: index + 1, of, startAtMs: START_AT_MS }, options),
    ),
  );

describe('a load in parts', () => {
  it('sends what one process sends, and is merged without loss', async () => {
    const whole = await startTarget();
    const one = await run(whole, undefined, { workers: 6 });
    const sent = whole.paths.toSorted();
    await whole.close();
    const target = await startTarget();
    const documents = await partsOf(target, 3, { workers: 2 });
    expect(target.paths.toSorted()).toEqual(sent);
    expect(target.tokenRequests).toEqual([]);
    const merged = mergeDocuments(documents.toReversed());
    expect(merged.achieved).toMatchObject({ planned: one.achieved.planned, ok: sumOf(documents) });
    expect(merged.latencyUs.response.count).toBe(one.achieved.planned);
    const maxima = documents.map(({ latencyUs }) => latencyUs.response.max);
    expect(merged.latencyUs.response.max).toBe(Math.max(...maxima));
    expect(merged.series.reduce((sum, { sent: own = 0 }) => sum + own, 0)).toBe(
      documents.flatMap(({ series }) => series).reduce((sum, { sent: own = 0 }) => sum + own, 0),
    );
    expect(merged.agents).toMatchObject([
      { name: 'part-1', workers: 2 },
      { name: 'part-2', workers: 2 },
      { name: 'part-3', workers: 2 },
    ]);
    expect(merged.thresholds.map(({ expression, held }) => [expression, held])).toEqual([
      ['rate>1', true],
      ['p99<50s', true],
      ['errors<1%', true],
    ]);
    expect(merged).not.toHaveProperty('part');
    expect(merged.intended).toEqual(one.intended);
  });

  it('judges thresholds of the whole only, and tells no token', async () => {
    const [document] = await partsOf(await startTarget(), 1, { threshold: ['rate>1000000'] });
    expect(document?.thresholds).toEqual([]);
    expect(mergeDocuments([document!]).verdict).not.toBe('held');
    expect(JSON.stringify(document)).not.toContain('own-7');
  });
});

const sumOf = (documents: readonly LoadDocument[]): number =>
  documents.reduce((sum, { achieved }) => sum + achieved.ok, 0);

describe('parts that make no load', () => {
  it('are refused, with the reason', async () => {
    const target = await startTarget();
    const [one, two] = (await partsOf(target, 2)) as [LoadDocument, LoadDocument];
    const other = await run(target, { number: 2, of: 2, startAtMs: START_AT_MS }, { seed: 2 });
    const later = await run(target, { number: 2, of: 2, startAtMs: START_AT_MS + 1 });
    const whole = await run(target);
    const cut = { ...two, part: { ...two.part!, data: two.part!.data.slice(0, 40) } };
    const cases: [readonly LoadDocument[], string, RegExp][] = [
      [[], 'PART_NONE', /no shard/],
      [[one, whole], 'PART_NONE', /of all shards/],
      [[two], 'PARTS_MISSING', /^Of 2 shards, 1 is missing;/],
      [[one, other], 'PARTS_DIFFER', /^Shards 1 and 2 are not of one load/],
      [[one, later], 'PARTS_DIFFER', /^Shards 1 and 2 are not of one load/],
      [[one, { ...two, tool: { ...TOOL, version: '1.2.4' } }], 'PARTS_DIFFER', /version/],
      [[one, two, two], 'PARTS_DIFFER', /^Shard 2 is given twice/],
      [[one, { ...two, interrupted: true }], 'PART_INTERRUPTED', /^Shard 2 was interrupted/],
      [[one, cut], 'PART_NOT_READ', /^Shard 2 /],
    ];
    for (const [documents, code, message] of cases) {
      const expected = { code, message: expect.stringMatching(message) };
      expect(() => mergeDocuments(documents)).toThrow(expect.objectContaining(expected));
    }
    expect(mergeDocuments([one, two]).achieved.ok).toBe(sumOf([one, two]));
  });
});

describe('a part', () => {
  const part = { number: 1, of: 2, startAtMs: START_AT_MS };

  it('needs a token of the profile: nothing is spent', async () => {
    const target = await startTarget();
    await expect(run({ ...target, profile: fake!.profile }, part)).rejects.toMatchObject({
      code: 'PART_NEEDS_TOKEN',
      field: 'part',
    });
    expect(target.tokenRequests).toEqual([]);
  });

  it.each<[LoadOptions, string, string]>([
    [{ connections: 3, workers: 2 }, 'LOAD_OPTIONS_INVALID', 'connections'],
    [
      { engine: 'autocannon', rate: undefined, arrivals: undefined, threshold: [] },
      'ENGINE_LACKS_OPTION',
      'part',
    ],
  ])('refuses %j', async (options, code, field) => {
    await expect(run(await startTarget(), part, options)).rejects.toMatchObject({ code, field });
  });

  it('does not start when the others have: nothing is sent', async () => {
    const target = await startTarget();
    const late = run(target, { ...part, startAtMs: 20 });
    await expect(late).rejects.toMatchObject({
      code: 'START_PASSED',
      message: expect.stringContaining('1970-01-01T00:00:00.020Z'),
    });
    expect(target.paths).toEqual([]);
  });

  it('ends at once when it is interrupted before its start', async () => {
    const target = await startTarget();
    const interrupt = new AbortController();
    const running = run(target, { ...part, startAtMs: 3.6e6 }, { signal: interrupt.signal });
    setImmediate(() => interrupt.abort());
    expect(await running).toMatchObject({ interrupted: true });
    expect(target.paths).toEqual([]);
  });
});
