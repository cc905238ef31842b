import { describe, expect, it } from 'vitest';
import { type Outcome, WHOLE } from '../../../src/app/selfcheck/judge-service.ts';
import { runSelfcheck } from '../../../src/app/selfcheck/run.ts';
import type { ChosenSide, Task, TaskAnswer, Trial } from '../../../src/app/selfcheck/sides.ts';
import { WorkerPool } from '../../../src/app/selfcheck/worker-pool.ts';
import { type SelfcheckDocument, selfcheckSchema } from '../../../src/documents/selfcheck.ts';
import { findRule } from '../../../src/interface/catalogue.ts';
import { selfcheckLines } from '../../../src/report/console/selfcheck.ts';
import { FAULTS } from '../../../src/server/index.ts';
import { runCaptured } from '../../support/captured-io.ts';

const MUST = 'token/nostr-case';
const SHOULD = 'record/echoes-request';
const OTHER = 'carpool/tag';
const trial = (id: string, breaks: Trial['breaks'] = []): Trial => ({
  rule: findRule(id)!,
  how: `${id} is broken`,
  breaks,
});

/** Verdicts of a fake checker by rule; sound by default. */
type Said = Readonly<Record<string, Readonly<Record<string, string>>>>;

const SOUND = 'sound';
const SHARP: Said = { [MUST]: { [MUST]: 'fail' }, [SHOULD]: { [SHOULD]: 'warn' } };

/** Runs a selfcheck of that checker, with prepared verdicts. */
async function selfcheck(
  said: Said,
  given: { breaks?: Trial['breaks']; signal?: AbortSignal; broken?: string } = {},
): Promise<SelfcheckDocument & { tasks: Task[] }> {
  const trials = [trial(MUST, given.breaks), trial(SHOULD)];
  const sides: ChosenSide[] = [
    { name: 'service', trials, inParallel: null },
    { name: 'client', trials: [], inParallel: 4 },
  ];
  const tasks: Task[] = [];
  const judge = (task: Task): TaskAnswer => {
    if ((task.fault ?? SOUND) === given.broken) return { ok: false, message: 'boom' };
    const outcomes = [MUST, SHOULD, OTHER].map((id): Outcome => {
      const verdict = said[task.fault ?? SOUND]?.[id] ?? 'pass';
      return { id, level: findRule(id)!.level, verdict, reason: `it is ${verdict}` };
    });
    return { ok: true, outcomes, durationMs: 1 };
  };
  const document = await runSelfcheck({
    sides,
    forms: { which: 'none', known: 0, forms: [], whole: [] },
    seed: 7,
    sockets: false,
    now: () => 0,
    onRow: () => undefined,
    signal: given.signal ?? new AbortController().signal,
    pool: {
      judgeAll: async (some, _inParallel, signal, onAnswer) => {
        for (const task of some) {
          if (signal.aborted) return;
          tasks.push(task);
          onAnswer(task, judge(task));
        }
      },
    },
  });
  expect(selfcheckSchema.safeParse(document).success).toBe(true);
  return { ...document, tasks };
}

describe('a selfcheck', () => {
  it('is proven if each broken rule fails, and nothing else', async () => {
    const document = await selfcheck(SHARP);
    expect(document.verdict).toBe('proven');
    expect(document.summary).toEqual({ killed: 2, survived: 0, falselyAccused: 0 });
    expect(document.rules.map(({ rule }) => rule)).toEqual([MUST, SHOULD]);
    expect(document.sound).toEqual([{ side: 'service', red: [], undecided: [] }]);
    expect(document.tasks.map(({ fault }) => fault)).toEqual([null, MUST, SHOULD]);
  });

  it.each([
    ['that stays green', 'pass'],
    ['that is merely undecided', 'inconclusive'],
    ['of level must that merely warns', 'warn'],
  ])('falls short with a rule %s', async (_, verdict) => {
    const document = await selfcheck({ ...SHARP, [MUST]: { [MUST]: verdict } });
    expect(document.verdict).toBe('fell-short');
    expect(document.rules[0]).toMatchObject({
      verdict: 'survived',
      reason: `${verdict}: it is ${verdict}`,
    });
    expect(selfcheckLines(document).join('\n')).toContain(`SURVIVED  ${MUST}`);
  });

  it.each(['fail', 'warn'])('fails if another rule comes out as %s', async (verdict) => {
    const document = await selfcheck({ ...SHARP, [MUST]: { [MUST]: 'fail', [OTHER]: verdict } });
    expect(document.verdict).toBe('fell-short');
    expect(document.summary).toMatchObject({ killed: 2, falselyAccused: 1 });
    expect(selfcheckLines(document)).toContain(`ACCUSED   ${OTHER}: it is ${verdict}`);
  });

  it('does not count a rule that necessarily breaks as accused', async () => {
    const breaks = [{ rule: OTHER, reason: 'one hangs on the other' }];
    const said = { ...SHARP, [MUST]: { [MUST]: 'fail', [OTHER]: 'fail' } };
    const document = await selfcheck(said, { breaks });
    expect(document.verdict).toBe('proven');
    expect(document.rules[0]?.alsoRed).toMatchObject([
      { rule: OTHER, necessity: 'one hangs on the other' },
    ]);
    expect(selfcheckLines(document)).toContain(
      `          also failed: ${OTHER}: one hangs on the other`,
    );
  });

  it('counts undecided rules, without an accusation', async () => {
    const said = { ...SHARP, [MUST]: { [MUST]: 'fail', [OTHER]: 'inconclusive' } };
    const document = await selfcheck(said);
    expect(document.verdict).toBe('proven');
    expect(document.rules[0]?.undecided).toEqual([OTHER]);
  });

  it('breaks nothing if the sound subject is accused, and fails', async () => {
    const document = await selfcheck({ ...SHARP, [SOUND]: { [OTHER]: 'warn' } });
    expect(document.verdict).toBe('fell-short');
    expect(document.rules).toEqual([]);
    expect(document.tasks).toHaveLength(1);
    expect(selfcheckLines(document)[0]).toBe(`ACCUSED   sound service: ${OTHER}`);
  });

  it('proves nothing if the sound subject could not be judged', async () => {
    const document = await selfcheck({ ...SHARP, [SOUND]: { [OTHER]: 'inconclusive' } });
    expect(document.verdict).toBe('inconclusive');
    expect(document.rules).toEqual([]);
  });

  it('says why when the checker crashes on the sound subject', async () => {
    const document = await selfcheck(SHARP, { broken: SOUND });
    expect(document.verdict).toBe('inconclusive');
    expect(document.sound).toMatchObject([{ undecided: [MUST, SHOULD], problem: 'boom' }]);
    expect(selfcheckLines(document)[0]).toBe('CRASHED   sound service: boom');
  });

  it('counts a checker that crashes as a survivor', async () => {
    const document = await selfcheck(SHARP, { broken: SHOULD });
    expect(document.verdict).toBe('fell-short');
    expect(document.rules[1]).toMatchObject({
      verdict: 'survived',
      reason: 'the checker crashed: boom',
    });
  });

  it('reports an interruption', async () => {
    const document = await selfcheck(SHARP, { signal: AbortSignal.abort() });
    expect(document).toMatchObject({ interrupted: true, verdict: 'inconclusive', rules: [] });
  });
});

describe('the other rules that a fault names', () => {
  it('do not include its own rule, and are few', () => {
    for (const { id, breaks } of FAULTS) {
      expect(breaks.map(({ rule }) => rule)).not.toContain(id);
      expect(breaks.length).toBeLessThanOrEqual(3);
      for (const { reason } of breaks) expect(reason).not.toBe('');
    }
  });
});

describe('a worker pool', () => {
  it('judges all tasks, a few at a time', async () => {
    const pool = new WorkerPool(2);
    const tasks = ['nobody', 'nowhere', 'nothing'].map((side) => ({
      side,
      fault: null,
      seed: 1,
      way: WHOLE,
    }));
    const answered: [string, TaskAnswer][] = [];
    await pool.judgeAll(tasks, null, new AbortController().signal, ({ side }, answer) => {
      answered.push([side, answer]);
    });
    await pool.close();
    expect(answered.map(([side]) => side).sort()).toEqual(['nobody', 'nothing', 'nowhere']);
    expect(answered[0]?.[1]).toEqual({ ok: false, message: 'there is no side nobody' });
  });
});

describe('fareproof selfcheck', () => {
  it('detects broken rules on the reference server', {
    tags: ['long'],
  }, async () => {
    const args = ['selfcheck', '--jobs', '1', '--forms', 'none', '--rule', 'record/car-type'];
    const { exitCode, stdout, stderr } = await runCaptured(args);
    expect(stdout).toContain('sound     service: every rule passes');
    expect(stdout).toMatch(/^killed {4}record\/car-type +car_type is a text\.$/m);
    expect(stdout).toMatch(
      /PROVEN {2}1 of 1 killed, 0 survived, 0 falsely accused \(seed \d+\)\n$/,
    );
    expect(stderr).toMatch(/^1 of 1 faults tried in turn, /);
    expect(exitCode).toBe(0);
  });

  it('--json prints a document and nothing else', {
    tags: ['long'],
  }, async () => {
    const { stdout } = await runCaptured(['selfcheck', '--rule', 'client/nostr', '--json']);
    const document: unknown = JSON.parse(stdout);
    expect(selfcheckSchema.parse(document)).toMatchObject({
      kind: 'selfcheck',
      verdict: 'proven',
      sound: [{ side: 'client', red: [], undecided: [] }],
      rules: [{ rule: 'client/nostr', verdict: 'killed', alsoRed: [] }],
    });
  });

  it.each([
    [
      ['--rule', 'record/pay-typ'],
      'RULE_UNKNOWN: --rule: no rule matches "record/pay-typ"; did you mean record/pay-type',
    ],
    [['--jobs', '0'], 'FLAG_VALUE: --jobs: must be a positive integer, not "0".'],
    [['--seed', 'x'], 'FLAG_VALUE: --seed'],
    [['--forms', 'some'], "'some' is invalid"],
  ])('%o is refused', async (args, message) => {
    const { exitCode, stderr } = await runCaptured(['selfcheck', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});
