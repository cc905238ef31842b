import { expect, it } from 'vitest';
import {
  allOutputs,
  type LoadOutput,
  type OutputSample,
} from '../../../src/load/outputs/output.ts';

const SAMPLE = {} as OutputSample;

/** Calls all of them, and returns the problems that were told. */
async function told(outputs: readonly LoadOutput<string>[]): Promise<string[]> {
  const problems: string[] = [];
  const output = allOutputs(outputs, (message) => problems.push(message));
  output.start('a run');
  output.add(SAMPLE);
  output.add(SAMPLE);
  await output.stop('the document');
  return problems;
}

it('tells of the first problem of each output, and every output of everything', async () => {
  const calls: string[] = [];
  const failing = (name: string, fail: () => Promise<void>): LoadOutput<string> => ({
    add: () => {
      calls.push(name);
      return fail();
    },
  });
  const thrown = failing('thrown', () => {
    throw new Error('it broke');
  });
  const rejected = failing('rejected', () => Promise.reject(new Error('it is down')));
  expect(await told([thrown, rejected, failing('sound', () => Promise.resolve())])).toEqual([
    'it broke. The run does not depend on it.',
    'it is down. The run does not depend on it.',
  ]);
  const once = ['thrown', 'rejected', 'sound'];
  expect(calls).toEqual([...once, ...once]);
});

it('stops one after the other, all of them, and throws what the first could not deliver', async () => {
  const calls: string[] = [];
  const slow: LoadOutput<string> = {
    stop: async (document) => {
      await Promise.resolve();
      calls.push(`slow: ${document}`);
      throw new Error('the disk is full');
    },
  };
  const last: LoadOutput<string> = { stop: () => void calls.push('last') };
  await expect(told([slow, last])).rejects.toThrow('the disk is full');
  expect(calls).toEqual(['slow: the document', 'last']);
});

it('takes records if one of them does', () => {
  const takes = (...each: readonly (boolean | undefined)[]): boolean | undefined =>
    allOutputs(
      each.map((takesRecords) => ({ takesRecords })),
      () => undefined,
    ).takesRecords;
  expect([takes(), takes(undefined, false), takes(undefined, true)]).toEqual([false, false, true]);
});
