import { inconclusive, type Judgement, pass, violated } from '../../verdict.ts';
import { type Answer, describeAnswer } from './answer.ts';
import type { BaseRequest } from './base-request.ts';
import type { Baseline, Check, Needs } from './check.ts';
import type { CheckContext } from './context.ts';
import type { Observation, Seen } from './observation.ts';
import type { EstimateAttempt, TokenAttempt } from './request.ts';
import { type Spending, spendingOf, times } from './spending.ts';
import type { Facts } from './target.ts';

/** A request that must be refused, and in words what is wrong with it. */
export type Negative = (
  | ({ readonly kind?: 'token' } & Omit<TokenAttempt, 'purpose'>)
  | ({ readonly kind: 'estimate' } & Omit<EstimateAttempt, 'purpose'>)
) & {
  /** What is wrong with the request, such as `a nostr of 5 characters`. */
  readonly wrong: string;
};

/** What makes a check of requests that must be refused. */
export interface RefusalOptions {
  readonly rule: string;
  readonly baseRequest: BaseRequest;
  readonly alsoOn?: readonly BaseRequest[] | undefined;
  readonly needs?: Needs | undefined;
  readonly unless?: Check['unless'];
  readonly priority?: number | undefined;
  /** The most telling first; a metered target gets the first `metered` of them. */
  readonly variants: (ctx: CheckContext) => readonly Negative[] | Promise<readonly Negative[]>;
  /** How many variants there are, and how many of them a metered target gets (default: all). */
  readonly count: number;
  readonly metered?: number | undefined;
  /** What one variant counts for; the base request's own kind where left out. */
  readonly each?: Spending | undefined;
  /** Whether an answer that is no refusal still keeps to the rule (as an empty list may). */
  readonly tolerate?: ((answer: Answer) => boolean) | undefined;
}

/** A check of requests that must be refused, each beside the base request's accepted ones. */
export function refusals(options: RefusalOptions): Check {
  const most = (facts: Facts): number =>
    facts.metered ? (options.metered ?? options.count) : options.count;
  return {
    id: options.rule,
    rules: [options.rule],
    baseRequest: options.baseRequest,
    alsoOn: options.alsoOn,
    needs: options.needs,
    unless: options.unless,
    priority: options.priority,
    spends: (facts, baseRequest) => times(options.each ?? spendingOf(baseRequest), most(facts)),
    run: async (ctx) => {
      const negatives = (await options.variants(ctx)).slice(0, most(ctx.facts));
      const probes: Probe[] = [];
      for (const negative of negatives) {
        const probe = { wrong: negative.wrong, answer: await sendNegative(ctx, negative) };
        probes.push(probe);
        // One accepted is a violation; what would follow it only costs.
        if (probe.answer.outcome === 'accepted' && !options.tolerate?.(probe.answer)) break;
      }
      return (controls) => judgeRefusals(probes, controls, options.tolerate);
    },
  };
}

/** A negative that was sent, and its answer. */
export interface Probe {
  readonly wrong: string;
  readonly answer: Answer;
}

function sendNegative(ctx: CheckContext, negative: Negative): Promise<Answer> {
  const purpose = `negative: ${negative.wrong}`;
  if (negative.kind === 'estimate') return ctx.estimate({ ...negative, purpose });
  return ctx.token({ ...negative, purpose });
}

/** Passes only where each was refused between two accepted controls. */
export function judgeRefusals(
  probes: readonly Probe[],
  controls: Baseline,
  tolerate?: (answer: Answer) => boolean,
): Judgement {
  const accepted = probes.find(
    ({ answer }) => answer.outcome === 'accepted' && !tolerate?.(answer),
  );
  if (accepted) {
    return violated(
      `a refusal (any status but 200) of ${accepted.wrong}`,
      `${accepted.wrong} was accepted with status ${accepted.answer.status}`,
      accepted.answer.exchange,
    );
  }
  const broken = probes.find(({ answer }) => answer.outcome === 'broken');
  if (broken) return inconclusive(`no answer to ${broken.wrong}: ${broken.answer.failure}`);
  const doubt = doubtControls(controls);
  if (doubt !== null) return inconclusive(doubt);
  const statuses = [...new Set(probes.map(({ answer }) => answer.status))].join(', ');
  return pass(
    `refused (${statuses}): ${probes.map(({ wrong }) => wrong).join('; ')}; accepted beside it: the same request without that`,
  );
}

/** Why a refusal between these controls proves nothing; null where it does. */
export function doubtControls({ opening, closing, problem }: Baseline): string | null {
  if (problem !== undefined) return `no well-formed request could be sent after it: ${problem}`;
  for (const [when, control] of [
    ['before', opening],
    ['after', closing],
  ] as const) {
    if (control && control.outcome !== 'accepted') {
      return `the well-formed request sent ${when} it was not accepted either (${describeAnswer(control)}), so a refusal proves nothing`;
    }
  }
  return opening || closing ? null : 'no well-formed request could be sent beside it';
}

/** A check of one request that must succeed, judged against the base request's controls. */
export function acceptance(options: {
  readonly rule: string;
  readonly baseRequest: BaseRequest;
  readonly needs?: Needs | undefined;
  readonly unless?: Check['unless'];
  readonly priority?: number | undefined;
  readonly spends?: Spending | undefined;
  /** What is right about the request, such as `a _ that is 9 min 50 s old`. */
  readonly right: string;
  readonly send: (ctx: CheckContext, purpose: string) => Promise<Answer>;
  /** Looks closer at an accepted answer; undefined is a pass. */
  readonly inspect?: (answer: Answer) => Judgement | undefined;
}): Check {
  return {
    id: options.rule,
    rules: [options.rule],
    baseRequest: options.baseRequest,
    needs: options.needs,
    unless: options.unless,
    priority: options.priority,
    spends: () => options.spends ?? spendingOf(options.baseRequest),
    run: async (ctx) => {
      const answer = await options.send(ctx, `positive: ${options.right}`);
      const closer = answer.outcome === 'accepted' ? options.inspect?.(answer) : undefined;
      return closer ?? ((controls) => judgeAcceptance(options.right, answer, controls));
    },
  };
}

/** Tells only beside controls that were accepted: refused controls make an acceptance strange too. */
export function judgeAcceptance(right: string, answer: Answer, controls: Baseline): Judgement {
  if (answer.outcome === 'accepted') {
    const refused = [controls.opening, controls.closing].find((one) => one?.outcome === 'refused');
    if (!refused) return pass(`accepted: ${right}`);
    return inconclusive(
      `accepted, but the well-formed request beside it was not (${describeAnswer(refused)})`,
    );
  }
  if (answer.outcome === 'broken') return inconclusive(`no answer to ${right}: ${answer.failure}`);
  const doubt = doubtControls(controls);
  if (doubt !== null) return inconclusive(`refused, but ${doubt}`);
  return violated(
    `status 200 for ${right}`,
    `${right} was refused with status ${answer.status}, the same request without that accepted`,
    answer.exchange,
  );
}

/** A rule judged over what other checks saw. */
export function observation(
  rule: string,
  from: readonly BaseRequest[],
  judge: (seen: Seen) => Judgement,
  needs?: Needs,
): Observation {
  return { rule, from, judge, needs };
}
