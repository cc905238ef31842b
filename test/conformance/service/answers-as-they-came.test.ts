import { expect, it } from 'vitest';
import { judgeControlled } from '../../independent-service/judge.ts';
import { STYLES } from '../../independent-service/style.ts';

/** Judges the records of a service that writes a field otherwise. */
async function judgeRecords(name: string, written: string) {
  const write = (json: unknown): string =>
    JSON.stringify(json).replaceAll(new RegExp(`"${name}":[^,}]+`, 'g'), written);
  const { rules, notes } = await judgeControlled({ ...STYLES[0]!, write }, [], {
    only: ['record/*'],
  });
  const failed = rules.filter(({ verdict }) => verdict === 'fail');
  return { failed: failed.map(({ id, reason }) => `${id}: ${reason}`), notes };
}

it('notes a key that stands twice, and fails no rule for it', async () => {
  const { failed, notes } = await judgeRecords('dynamic', '"dynamic":1,"dynamic":2');
  expect(failed).toEqual([]);
  expect(notes).toContainEqual(
    expect.stringMatching(
      /sent objects in which a key stands twice \(first "dynamic" in x\d+, in /,
    ),
  );
});

it('passes an integer beyond what a double tells apart, and notes nothing', async () => {
  const { failed, notes } = await judgeRecords('car_type', '"car_type":9007199254740993');
  expect(failed).toEqual([]);
  expect(notes?.filter((note) => note.includes('twice'))).toEqual([]);
});

it('shows a number that no double holds as it came', async () => {
  const { failed } = await judgeRecords('car_type', '"car_type":1e400');
  expect(failed).toEqual([expect.stringContaining('record/car-type: car_type is 1e400')]);
});
