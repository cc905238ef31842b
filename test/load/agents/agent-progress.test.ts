import { expect, it } from 'vitest';
import { GeneratorTallies } from '../../../src/load/agents/agent-progress.ts';
import type { AgentPart } from '../../../src/load/agents/pool.ts';
import type { GeneratorUpdate } from '../../../src/load/engine/engine.ts';
import { LatencyHistogram } from '../../../src/load/record/histogram.ts';

const partOf = (name: string, from: number, more: Partial<AgentPart> = {}): AgentPart => ({
  name,
  cores: 4,
  range: { from, count: 2 },
  clockErrorUs: 20,
  missingUpdates: 0,
  ...more,
});

const updateOf = (ok: number, failed: number, sample?: GeneratorUpdate['sample']) => ({
  seconds: [
    { second: 0, ok, failed, sent: ok + failed, response: new LatencyHistogram().toData() },
  ],
  waiting: 0,
  sample,
});

const sampleOf = (cpu: number, coreWait: number, sendLagP99Us: number) => ({
  eventLoopUtilization: 0.5,
  cpu,
  coreWait,
  sendLagP99Us,
});

it('adds up the requests and cores of each agent, and shows its worst generator', () => {
  const tallies = new GeneratorTallies();
  tallies.take(0, updateOf(10, 1, sampleOf(0.25, 0.01, 30)));
  tallies.take(1, updateOf(20, 0, sampleOf(0.5, 0.2, 10)));
  tallies.take(2, updateOf(5, 0));
  tallies.take(0, updateOf(10, 0, sampleOf(0.25, 0, 40)));
  expect(tallies.byAgent([partOf('east', 0), partOf('west', 2)])).toMatchObject([
    { name: 'east', workers: 2, sent: 41, cpu: 0.75, coreWait: 0.2, sendLagP99Us: 40 },
    { name: 'west', sent: 5, cpu: null, coreWait: null, sendLagP99Us: null },
  ]);
});

it('shows no health of an agent that was lost', () => {
  const tallies = new GeneratorTallies();
  tallies.take(0, updateOf(10, 0, sampleOf(0.25, 0.01, 30)));
  const lost = { atS: 2.5, how: 'silent' } as const;
  expect(tallies.byAgent([partOf('east', 0, { lost })])).toMatchObject([
    { sent: 10, cpu: null, sendLagP99Us: null, lost },
  ]);
});
