import type { GapObservation } from '../../../documents/conformance.ts';
import type { GapFinding } from '../../../documents/sealed.ts';
import type { ErrorCondition } from '../../../interface/error-conditions.ts';
import type { GapId } from '../../../interface/gaps.ts';
import { inconclusive, type Judgement, pass } from '../../verdict.ts';
import {
  type BaseRequest,
  type Caller,
  type Check,
  type CheckContext,
  placeOn,
  type Spending,
} from '../contract/check.ts';
import { answered, Inconclusive } from '../contract/judge.ts';
import type { Answer, TokenAnswer } from '../contract/messages.ts';

/** A gap as a run writes it into its document. */
export type ObservedGap = Pick<GapObservation, 'id' | 'question' | 'note' | 'observed'>;

/** A refusal of a probe's request, and the condition of the gap `error-status` that it shows. */
export type MetRefusal = readonly [ErrorCondition, Answer];

/** Findings of the probes of one run. */
export interface ProbeResults {
  readonly findings: Map<GapId, GapFinding>;
  readonly refusals: MetRefusal[];
}

/** One finding, or one for each of the probe's gaps; a text is the reason why there is none. */
export type GapFindings = GapFinding | { readonly [gap in GapId]?: GapFinding | string };

/**
 * Requests beyond those of the rules, sent after them. They judge nothing. Their base request is
 * sent before them; their partner is fresh, or has allowance left over.
 */
export interface GapProbe {
  readonly baseRequest: BaseRequest;
  readonly spends?: Spending | undefined;
  readonly needs?: Check['needs'];
  readonly effect?: Check['effect'];
  /**
   * Sends them; `met` records refusals, for the gap `error-status`.
   *
   * @throws Inconclusive if nothing can be observed
   */
  readonly look: (
    ctx: CheckContext,
    met: (condition: ErrorCondition, answer: Answer) => void,
  ) => Promise<GapFindings>;
}

/** Probes by gap; one probe may answer several. */
export type GapProbes = { readonly [gap in GapId]?: GapProbe };

/** A probe of limits or bans: its partner is fresh, and the clock can be moved. */
export const ON_FRESH_PARTNER = {
  baseRequest: 'standalone',
  needs: { control: true },
  effect: 'counts',
} as const;

/** Sends a platform request of a probe. */
export const askPlatform = (caller: Caller, when: string): Promise<TokenAnswer> =>
  caller.token({ purpose: `gap: a request ${when}`, fields: caller.platform() });

/** Area in the id of a probe; no rule has it. */
export const GAP_PREFIX = 'gap/';

/** Turns a probe into a check that adds to the results and never makes a verdict. */
export function probeCheck(
  gaps: readonly GapId[],
  { baseRequest, spends = {}, needs, effect, look }: GapProbe,
  results: ProbeResults,
): Check {
  const rules = gaps.map((gap) => GAP_PREFIX + gap);
  return {
    id: rules[0] ?? GAP_PREFIX,
    rules,
    places: [placeOn(baseRequest)],
    needs,
    effect,
    spends: () => spends,
    priority: { stage: 'probe', rank: 0 },
    run: async (ctx) => {
      if (baseRequest !== 'standalone' && ctx.opening?.outcome !== 'accepted')
        throw new Inconclusive('a well-formed request was not accepted before it');
      const found = await look(ctx, (condition, answer) => {
        if (answer.outcome === 'refused') results.refusals.push([condition, answer]);
      });
      const keep = (gap: GapId): Judgement => {
        const finding = 'words' in found ? found : found[gap];
        if (typeof finding === 'string') return inconclusive(finding);
        if (finding) results.findings.set(gap, finding);
        return pass('probed');
      };
      return Object.fromEntries(gaps.map((gap) => [GAP_PREFIX + gap, keep(gap)]));
    },
  };
}

/** One way to send a request: its setting, a description, and its answer. */
export interface Variant {
  readonly value: string;
  readonly words: string;
  readonly send: () => Promise<Answer>;
}

/** Finds the first variant that is accepted; throws Inconclusive if none is. */
export async function firstAccepted(
  variants: readonly Variant[],
  what: string,
): Promise<GapFinding> {
  const statuses = new Set<number>();
  for (const { value, words, send } of variants) {
    const answer = answered(await send(), what);
    if (answer.outcome === 'accepted') return { value, words, exchanges: [answer.exchange] };
    statuses.add(answer.status);
  }
  const list = [...statuses].join(', ');
  throw new Inconclusive(`${what} was refused in every variant (status ${list})`);
}

/**
 * A finding by whether a request was accepted, compared with an accepted base request.
 *
 * @param refused `words` without the status, which is added
 * @throws Inconclusive if the exchange broke
 */
export function byOutcome(
  answer: Answer,
  accepted: Omit<GapFinding, 'exchanges'>,
  { words = 'refused', ...refused }: { readonly value?: unknown; readonly words?: string } = {},
): GapFinding {
  const { outcome, status, exchange } = answered(answer);
  const exchanges = [exchange];
  if (outcome === 'accepted') return { ...accepted, exchanges };
  return { words: `${words} with status ${status}`, ...refused, exchanges };
}
