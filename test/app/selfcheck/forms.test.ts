import { describe, expect, it } from 'vitest';
import { chooseForms, judgeForms } from '../../../src/app/selfcheck/forms.ts';
import { judgeService } from '../../../src/app/selfcheck/judge-service.ts';
import type { Task, TaskAnswer } from '../../../src/app/selfcheck/sides.ts';
import { type SelfcheckForms, selfcheckSchema } from '../../../src/documents/selfcheck.ts';
import { findRule } from '../../../src/interface/catalogue.ts';
import { formsLines } from '../../../src/report/console/selfcheck-forms.ts';
import type { Fault, FaultId } from '../../../src/server/index.ts';
import { FAULTS } from '../../../src/server/index.ts';

const RULE = 'token/nostr-case';
const OTHER = 'carpool/tag';
const form = (name: string, needsControl = false, breaks: Fault['breaks'] = []): Fault => ({
  id: `${RULE}#${name}`,
  rule: RULE,
  how: `It is broken: ${name}.`,
  breaks,
  needsControl,
});

/** Ways, such as `control` or `metered whole`, in which a fake checker finds a form's rule broken. */
type Told = Readonly<Record<string, readonly string[]>>;

/** Judges forms by a fake checker; `accused` is what the whole check finds broken besides. */
async function judge(
  forms: readonly Fault[],
  told: Told,
  { accused = [], crashed = [], whole = [] }: Faked = {},
): Promise<{ judged: SelfcheckForms; lines: string; tasks: string[]; reported: string[] }> {
  const tasks: string[] = [];
  const reported: string[] = [];
  const answer = ({ fault, way }: Task): TaskAnswer => {
    const name = fault?.split('#')[1] ?? 'sound';
    const words = `${way.access}${way.rule === null ? ' whole' : ''}`;
    tasks.push(`${name} ${words}`);
    if (crashed.includes(`${name} ${words}`)) return { ok: false, message: 'boom' };
    const isTold = told[name]?.includes(way.access) ?? false;
    const red = [...(isTold ? [RULE] : []), ...(way.rule === null ? accused : [])];
    const outcomes = [RULE, OTHER].map((id) => {
      const verdict = red.includes(id) ? 'fail' : 'pass';
      return { id, level: findRule(id)!.level, verdict, reason: `it is ${verdict}` };
    });
    return { ok: true, outcomes, durationMs: 1 };
  };
  const { forms: judged } = await judgeForms({
    forms: { which: 'all', known: forms.length, forms, whole },
    seed: 1,
    sockets: false,
    judged: new Map(),
    signal: new AbortController().signal,
    onRow: (name) => reported.push(name),
    pool: {
      judgeAll: async (some, _inParallel, _signal, onAnswer) => {
        for (const task of some) onAnswer(task, answer(task));
      },
    },
  });
  expect(selfcheckSchema.shape.forms.safeParse(judged).success).toBe(true);
  return { judged, lines: formsLines(judged).join('\n'), tasks, reported };
}

interface Faked {
  readonly accused?: readonly string[];
  readonly crashed?: readonly string[];
  readonly whole?: readonly Fault[];
}

const BOTH = ['control', 'metered'];

describe('forms of faults', () => {
  it('are judged by their rule, with and without a control API, beside a sound service', async () => {
    const { judged, tasks } = await judge([form('a')], { a: BOTH });
    expect(tasks).toEqual(['sound metered whole', 'a control', 'a metered']);
    expect(judged.summary).toEqual({ killed: 1, survived: 0, falselyAccused: 0 });
  });

  it.each([
    ['told in both ways', false, BOTH, 'killed'],
    ['not told at all', false, [], 'survived'],
    ['not told with metered partners', false, ['control'], 'survived'],
    ['not told with a control API', true, ['metered'], 'survived'],
    ['that needs a control API, and is not told', true, [], 'survived'],
    ['that needs a control API, told with it only', true, ['control'], 'killed'],
    ['that needs a control API, told without it too', true, BOTH, 'killed'],
  ] as const)('%s', async (_, needsControl, told, verdict) => {
    const { judged, lines } = await judge([form('a', needsControl)], { a: told });
    expect(judged.rows).toMatchObject([{ form: `${RULE}#a`, verdict }]);
    expect(judged.summary[verdict]).toBe(1);
    expect(lines.startsWith('SURVIVED ')).toBe(verdict === 'survived');
  });

  it('survive if the checker crashes', async () => {
    const { judged } = await judge([form('a')], { a: BOTH }, { crashed: ['a metered'] });
    expect(judged.rows[0]).toMatchObject({
      verdict: 'survived',
      metered: { told: false, reason: 'the checker crashed: boom' },
    });
  });

  it('accuse no other rule in the whole check, but for a reason', async () => {
    const sound = form('a');
    const because = form('b', false, [{ rule: OTHER, reason: 'one hangs on the other' }]);
    const { judged, lines, tasks } = await judge(
      [sound, because],
      { a: BOTH, b: BOTH },
      {
        accused: [OTHER],
        whole: [sound, because],
      },
    );
    expect(tasks.filter((task) => task.startsWith('a'))).toHaveLength(4);
    expect(judged.summary).toMatchObject({ killed: 2, falselyAccused: 2 });
    expect(lines).toContain(`ACCUSED   ${RULE}#a, metered: ${OTHER}: it is fail`);
    expect(lines).not.toContain(`ACCUSED   ${RULE}#b`);
  });

  it('are reported once each, however often they are judged', async () => {
    const both = [form('a'), form('b')];
    const { reported } = await judge(both, {}, { whole: both });
    expect(reported).toEqual([`${RULE}#a`, `${RULE}#b`]);
  });

  it('are counted by area', async () => {
    const forms = [form('a'), form('b', true), form('c', true)];
    const { judged, lines } = await judge(forms, { a: BOTH, b: ['control'], c: BOTH });
    expect(judged.areas).toEqual([
      {
        area: 'token',
        forms: 3,
        control: 3,
        metered: 2,
        declared: 1,
      },
    ]);
    expect(lines).toMatch(/^token +3 +3 +2 +1$/m);
    expect(lines).toMatch(/^all +3 +3 +2 +1$/m);
    expect(lines).toContain('Forms: 3 of 3 (all), 3 as declared, 0 survived');
  });
});

describe('a sample of the forms', () => {
  const every = (): boolean => true;

  it('is a tenth; ten seeds in a row choose every form once', () => {
    const samples = Array.from({ length: 10 }, (_, seed) => chooseForms('sample', every, seed + 3));
    const ids = samples.flatMap(({ forms }) => forms.map(({ id }) => id));
    expect(ids.sort()).toEqual(FAULTS.map(({ id }) => id).sort());
    for (const { forms, whole, known } of samples) {
      expect(known).toBe(FAULTS.length);
      expect(forms.length).toBeLessThan(FAULTS.length / 9);
      expect(whole.length).toBeGreaterThan(0);
      expect(forms).toEqual(expect.arrayContaining([...whole]));
    }
  });

  it('is of the rules that are chosen', () => {
    const { forms, known } = chooseForms('all', (rule) => rule === RULE, 1);
    expect(forms.map(({ rule }) => rule)).toEqual(Array(known).fill(RULE));
    expect(chooseForms('none', every, 1).forms).toEqual([]);
  });
});

describe('a subject of selfcheck', () => {
  const verdict = async (fault: FaultId | null, access: 'control' | 'metered', rule: string) =>
    (await judgeService(fault, 1, { access, rule, sockets: false })).find(({ id }) => id === rule)
      ?.verdict;

  it.each([
    ['quota/ban-lasts-24h', 'fail'],
    ['quota/ban-lifts', 'fail'],
    [null, 'pass'],
  ] as const)('%s: a run with metered partners moves its clock', async (fault, expected) => {
    const rule = fault?.split('#')[0] ?? 'quota/ban-lifts';
    expect(await verdict(fault, 'metered', rule)).toBe(expected);
  });

  it.each(['control', 'metered'] as const)('is broken or sound, by %s', async (access) => {
    expect(await verdict('record/pay-type#express', access, 'record/pay-type')).toBe('fail');
    expect(await verdict(null, access, 'record/pay-type')).toBe('pass');
  });
});
