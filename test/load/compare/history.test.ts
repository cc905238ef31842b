import { describe, expect, it } from 'vitest';
import type { LoadDocument, LoadSetDocument } from '../../../src/documents/load.ts';
import { historyDocument } from '../../../src/load/compare/history.ts';
import { loadSample } from '../../report/samples/load-sample.ts';

const TOOL = { name: 'fareproof', version: '1' };
const MACHINE = { cpu: 'EPYC', cores: 2 };

/** A run of the day, as fast as all others. */
function run(day: number, changes: Partial<LoadDocument> = {}): LoadDocument {
  const at = Date.parse('2026-11-01T10:00:00.000Z') + day * 86_400_000;
  return {
    ...loadSample(1),
    startedAt: new Date(at).toISOString(),
    finishedAt: new Date(at + 1000).toISOString(),
    verdict: 'held',
    machine: MACHINE,
    ...changes,
  };
}

const judge = (documents: readonly (LoadDocument | LoadSetDocument)[]) =>
  historyDocument(
    documents.map((document) => ({ name: document.startedAt.slice(8, 10), document })),
    { last: 10, tool: TOOL, nowMs: 0 },
  );

const days = (count: number, changes: Partial<LoadDocument> = {}): LoadDocument[] =>
  Array.from({ length: count }, (_, day) => run(day, changes));

describe('historyDocument', () => {
  it('compares the newest runs with those before them, in any order', () => {
    const { verdict, runs, leftOut } = judge(days(12).reverse());
    expect(verdict).toBe('equivalent');
    expect(runs.a.map(({ name }) => name)).toEqual(
      days(10).map((_, at) => `${at + 1}`.padStart(2, '0')),
    );
    expect(runs.b.map(({ name }) => name)).toEqual(['11', '12']);
    expect(leftOut).toBeUndefined();
  });

  it.each<[string, Partial<LoadDocument>, string]>([
    ['CPU', { machine: { ...MACHINE, cpu: 'Xeon' } }, 'CPU Xeon (not EPYC)'],
    ['cores', { machine: { ...MACHINE, cores: 4 } }, 'cores 4 (not 2)'],
    ['no machine', { machine: undefined }, 'CPU unknown (not EPYC), cores unknown (not 2)'],
    ['engine', { engine: 'autocannon' }, 'engine autocannon (not native)'],
    ['rate', { intended: { ...loadSample(1).intended, rate: 99 } }, 'rate 99/s (not 5000/s)'],
    ['mix', { workload: { ...loadSample(1).workload, mix: { plain: 2 } } }, 'mix plain=2'],
    ['validity', { verdict: 'invalid', reason: 'It was late.' }, 'invalid: It was late'],
    ['interruption', { interrupted: true }, 'interrupted'],
  ])('leaves out a run that differs in %s, and says so', (_, changes, reason) => {
    const { runs, leftOut, notes } = judge([...days(12), run(3.5, changes)]);
    expect(leftOut).toEqual([{ name: '04', reason: expect.stringContaining(reason) }]);
    expect(runs.a).toHaveLength(10);
    expect(notes).toEqual([expect.stringMatching(/^Left out, .*: 04\.$/)]);
  });

  it('does not leave out a run of another release of the tool', () => {
    const other = run(3.5, { tool: { ...TOOL, version: '0' } });
    expect(judge([...days(12), other]).leftOut).toBeUndefined();
  });

  it('judges nothing if the newest cannot be compared', () => {
    const newest = run(20, {
      verdict: 'invalid',
      invalidBy: 'lateness',
      model: 'closed',
      reason: 'It was late.',
    });
    expect(judge([...days(12), newest])).toMatchObject({
      verdict: 'inconclusive',
      reason: 'The newest, 21, cannot be compared: invalid: It was late.',
    });
  });

  it('takes the runs of a set as one sample, and a document once', () => {
    const set: LoadSetDocument = {
      ...run(20),
      kind: 'load-set',
      runs: [run(20), run(20.01), run(20.02, { interrupted: true })],
      spread: null,
      label: '1.5',
    };
    const { runs, sides } = judge([...days(11), set, set, run(4)]);
    expect(runs.a).toHaveLength(10);
    expect(runs.b).toHaveLength(3);
    expect(sides?.b.name).toMatch(/ and 1\.5$/);
  });

  it('refuses a history without loads', () => {
    expect(() => judge([])).toThrow('There is no document of load');
  });
});
