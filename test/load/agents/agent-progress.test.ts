import { expect, it } from 'vitest';
import { type AgentPart, agentProgress } from '../../../src/load/agents/agent-progress.ts';
import { addRecords } from '../../../src/load/record/merge.ts';
import type { GeneratorState } from '../../../src/load/record/run-records.ts';

const partOf = (name: string, from: number, more: Partial<AgentPart> = {}): AgentPart => ({
  name,
  cores: 4,
  range: { from, count: 2 },
  clockErrorUs: 20,
  missingUpdates: 0,
  ...more,
});

const stateOf = (
  generator: number,
  outcomes: { ok: number; failed: number } | null,
  [cpu, coreWait, sendLagP99Us]: readonly number[] = [],
): GeneratorState => {
  const { parts, ...record } = addRecords([]);
  return {
    generator,
    agent: null,
    record: outcomes && { ...record, parts: parts.map((part) => ({ ...part, ...outcomes })) },
    sample:
      cpu === undefined
        ? null
        : { cpu, coreWait: coreWait!, sendLagP99Us: sendLagP99Us!, eventLoopUtilization: 0.5 },
    waiting: 0,
  };
};

it('adds up the requests and cores of each agent, and shows its worst generator', () => {
  const states = [
    stateOf(0, { ok: 20, failed: 1 }, [0.25, 0, 40]),
    stateOf(1, { ok: 20, failed: 0 }, [0.5, 0.2, 10]),
    stateOf(2, { ok: 5, failed: 0 }),
    stateOf(3, null),
  ];
  expect(agentProgress([partOf('east', 0), partOf('west', 2)], states)).toMatchObject([
    { name: 'east', workers: 2, sent: 41, cpu: 0.75, coreWait: 0.2, sendLagP99Us: 40 },
    { name: 'west', sent: 5, cpu: null, coreWait: null, sendLagP99Us: null },
  ]);
});

it('shows no health of an agent that was lost', () => {
  const states = [stateOf(0, { ok: 10, failed: 0 }, [0.25, 0.01, 30]), stateOf(1, null)];
  const lost = { atS: 2.5, how: 'silent' } as const;
  expect(agentProgress([partOf('east', 0, { lost })], states)).toMatchObject([
    { sent: 10, cpu: null, sendLagP99Us: null, lost },
  ]);
});
