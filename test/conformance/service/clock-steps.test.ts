import { expect, it, onTestFinished } from 'vitest';
import {
  checkService,
  MACHINE_CLOCK,
  movingClock,
  recheckService,
} from '../../../src/conformance/index.ts';
import { describeProfile, type FaultId, startServer } from '../../../src/server/index.ts';
import { RUN } from '../../independent-service/judge.ts';

/** Rules that are judged by times. */
const TIMED = ['token/timestamp-*', 'lifecycle/access-token-expires', 'lock/*', 'quota/ban-lifts'];

/** A step of the clock of one side, as soon as so many requests were answered. */
interface Step {
  readonly of: 'machine' | 'target';
  readonly atRequest: number;
  readonly byMs: number;
}

/** Judges a service while clocks are set. */
async function judge(steps: readonly Step[], faults: readonly FaultId[] = []) {
  const offsetMs = { machine: 0, target: 0 };
  const server = await startServer({
    controlPort: 0,
    faults,
    clock: { now: () => Date.now() + offsetMs.target },
  });
  onTestFinished(() => server.close(0));
  let requests = 0;
  return checkService({
    ...RUN,
    target: { ...describeProfile(server), partners: [] },
    clock: movingClock({ ...MACHINE_CLOCK, now: () => Date.now() + offsetMs.machine }),
    only: TIMED,
    requests: 0,
    onRequest: () => {
      requests++;
      for (const { of, byMs } of steps.filter(({ atRequest }) => atRequest === requests))
        offsetMs[of] += byMs;
    },
  });
}

type Result = Awaited<ReturnType<typeof judge>>;

const verdictsOf = ({ rules }: Result) =>
  rules.flatMap(({ id, verdict, reason }) =>
    verdict === 'excluded' || verdict === 'pass' ? [] : [`${id} ${verdict}: ${reason}`],
  );

it.each([
  ['machine', -30_000],
  ['machine', -3_600_000],
  ['target', -30_000],
  ['target', -3_600_000],
  ['target', 3_600_000],
] as const)(
  'a sound service passes while the clock of the %s is set by %s ms',
  async (of, byMs) => {
    const result = await judge([20, 60].map((atRequest) => ({ of, atRequest, byMs })));
    expect(verdictsOf(result)).toEqual([]);
    expect(result.exchanges.some(({ clockStepMs }) => clockStepMs !== undefined)).toBe(true);
    expect(Date.parse(result.finishedAt)).toBeGreaterThanOrEqual(Date.parse(result.startedAt));
  },
);

it('a broken service is still accused, by what was measured again', async () => {
  const rule = 'lifecycle/access-token-expires';
  const steps = [10, 20, 30].map((atRequest) => ({
    of: 'target' as const,
    atRequest,
    byMs: 300_000,
  }));
  const { rules } = await judge(steps, [rule]);
  expect(rules.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([rule]);
});

it('nothing is judged where the clock is set all the time, and the stored run is judged alike', async () => {
  const always = Array.from({ length: 5_000 }, (_, at) => ({
    of: 'target' as const,
    atRequest: at,
    byMs: at % 2 === 0 ? 60_000 : -60_000,
  }));
  const result = await judge(always);
  expect(result.rules.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  const expires = result.rules.find(({ id }) => id === 'lifecycle/access-token-expires');
  expect(expires).toMatchObject({
    verdict: 'inconclusive',
    reason: expect.stringContaining('run it again') as string,
  });
  const stored = {
    schemaVersion: 1 as const,
    tool: { name: 'fareproof', version: '0' },
    ...result,
  };
  const again = await recheckService(JSON.parse(JSON.stringify(stored)) as typeof stored);
  expect(again.rules.map(({ id, verdict }) => [id, verdict])).toEqual(
    result.rules.map(({ id, verdict }) => [id, verdict]),
  );
});
