import { describe, expect, it } from 'vitest';
import {
  RecentAnswers,
  restedAmong,
} from '../../../../src/conformance/service/wire/recent-answers.ts';

const SECOND_MS = 1000;
const at = (second: number) => ({
  sentAtMs: second * SECOND_MS,
  answeredAtMs: second * SECOND_MS + 20,
});

describe('a request', () => {
  it('is rested until three were answered in the minute before it', () => {
    const answers = new RecentAnswers();
    const rested = [0, 1, 2, 3, 64, 130].map((second) => answers.take(at(second)));
    expect(rested).toEqual([true, true, true, false, true, true]);
  });
});

describe('the requests of a stored run', () => {
  it('are rested as they were when they were sent, whatever their order in the document', () => {
    const sent = [0, 1, 2, 3, 64, 130].map(at);
    const live = new RecentAnswers();
    const rested = sent.filter((one) => live.take(one));
    const byBatch = [sent[3]!, sent[0]!, sent[5]!, sent[1]!, sent[4]!, sent[2]!];
    expect(restedAmong(byBatch)).toEqual(new Set(rested));
    expect(rested).not.toContain(sent[3]);
  });
});
