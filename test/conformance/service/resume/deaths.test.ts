// @module-tag long

import { hash } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  resumeRunLog,
  rulesBehind,
  type ServiceResult,
  startRunLog,
} from '../../../../src/conformance/index.ts';
import { SeededRandom } from '../../../../src/conformance/seeded-random.ts';
import type { RunLog } from '../../../../src/conformance/service/resume/run-log.ts';
import { FORMS_BY_SUBJECT } from '../../../independent-service/forms/all.ts';
import { withVerdict } from '../../../independent-service/judge.ts';
import { MeteredRun, verdicts } from '../../../independent-service/metered-run.ts';
import { STYLES } from '../../../independent-service/style.ts';
import { SEED } from '../../../support/property.ts';

const USES = ['general', 'general', 'general', 'witness'] as const;

/** Requests up to a death, at most: of token requests there are fewer. */
const MOST_REQUESTS = { exchanged: 60, sending: 15 } as const;

/** Deaths of a run, at most. */
const MOST_DEATHS = 6;

const numberOf = (text: string): number => Number.parseInt(hash('md5', text).slice(0, 8), 16);

/** Broken services, drawn by name, and the rules that each is judged by. */
const DRAWN = Object.values(FORMS_BY_SUBJECT)
  .flatMap(Object.keys)
  .map((form) => ({ form, drawn: numberOf(`${form} ${SEED}`) }))
  .toSorted((a, b) => a.drawn - b.drawn)
  .slice(0, 6)
  .map(({ form, drawn }) => {
    const [rule = ''] = form.split('#');
    const area = ['token/*', 'estimate/*', 'signature/*', 'lifecycle/*'][drawn % 4]!;
    const style = STYLES[drawn % STYLES.length]!;
    return { form, rule, drawn, style, name: style.name, only: [rule, ...rulesBehind(rule), area] };
  });

/** Step of a run after which its process dies: an answer is recorded, or a request is about to be sent. */
type Step = keyof typeof MOST_REQUESTS;

/** Run whose process dies again and again, until it comes to its end. */
class MortalRun extends MeteredRun {
  deaths = 0;

  async judgeWithDeaths(
    step: Step,
    random: SeededRandom,
    only: readonly string[],
  ): Promise<ServiceResult> {
    for (let kind: 'start' | 'resume' = 'start'; ; kind = 'resume') {
      const death = new AbortController();
      const isLast = this.deaths === MOST_DEATHS;
      const left = {
        requests: isLast
          ? Number.POSITIVE_INFINITY
          : 1 + Math.floor(random.next() * MOST_REQUESTS[step]),
      };
      const runLog = this.#dyingAfter(kind, step, left, death);
      const result = await this.judge(kind, { only, runLog, signal: death.signal });
      if (!death.signal.aborted) return result;
      this.deaths++;
      // What the process did after its death did not happen.
      cpSync(`${this.folder}.dead`, this.folder, { recursive: true });
      rmSync(`${this.folder}.dead`, { recursive: true });
    }
  }

  #dyingAfter(
    kind: 'start' | 'resume',
    step: Step,
    left: { requests: number },
    death: AbortController,
  ): RunLog {
    const log = kind === 'start' ? startRunLog(this.runLogPath, {}) : resumeRunLog(this.runLogPath);
    const recorded =
      <A extends readonly unknown[]>(record: (...args: A) => void) =>
      (...args: A): void => {
        record(...args);
        if (--left.requests !== 0) return;
        cpSync(this.folder, `${this.folder}.dead`, { recursive: true });
        death.abort();
      };
    return Object.create(log, { [step]: { value: recorded(log[step] as () => void) } }) as RunLog;
  }
}

async function bothRuns(
  { form, drawn, style, only }: (typeof DRAWN)[number],
  step: Step,
): Promise<{ whole: ServiceResult; died: ServiceResult; deaths: number }> {
  const open = async (): Promise<MortalRun> => {
    const run = new MortalRun(style, [form], USES);
    await run.service.start();
    return run;
  };
  const [one, other] = [await open(), await open()];
  try {
    const whole = await one.judge('start', { only });
    const died = await other.judgeWithDeaths(step, new SeededRandom(drawn), only);
    return { whole, died, deaths: other.deaths };
  } finally {
    await Promise.all([one.service.stop(), other.service.stop()]);
  }
}

it.each(DRAWN)(
  'a run on a service that breaks $form ($name) has the same verdicts after deaths',
  async (drawn) => {
    const { whole, died, deaths } = await bothRuns(drawn, 'exchanged');
    expect(deaths).toBeGreaterThan(0);
    expect(verdicts(died)).toEqual(verdicts(whole));
  },
);

// A request whose answer is lost is not sent again, so that its rule may stay open.
it.each(DRAWN)(
  'a run on a service that breaks $form ($name) accuses it of nothing else after lost answers',
  async (drawn) => {
    const { whole, died } = await bothRuns(drawn, 'sending');
    const known = [...withVerdict(whole, 'fail', 'warn'), drawn.rule];
    expect(withVerdict(died, 'fail', 'warn').filter((id) => !known.includes(id))).toEqual([]);
  },
);
