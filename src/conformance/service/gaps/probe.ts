import type { ErrorCondition, GapId } from '../../../interface/gaps.ts';
import { pass } from '../../verdict.ts';
import type { Answer } from '../contract/answer.ts';
import type { BaseRequest } from '../contract/base-request.ts';
import type { Check } from '../contract/check.ts';
import type { CheckContext } from '../contract/context.ts';

/** What a target did where the interface leaves the question open. */
export interface Sighting {
  /** As a behaviour file says it; left out where no setting does. */
  readonly value?: unknown;
  /** For a reader. */
  readonly words: string;
  /** Ids of exchanges that show it. */
  readonly exchanges?: readonly string[] | undefined;
}

/** Why nothing can be said. */
export interface Unseen {
  readonly unseen: string;
}

/** What a probe saw: of its gaps, and of the statuses of refusals. */
export interface Looks {
  readonly seen: { readonly [gap in GapId]?: Sighting | Unseen | undefined };
  readonly refusals?: readonly (readonly [ErrorCondition, Answer])[] | undefined;
}

/**
 * Requests beyond those of the rules, sent after these and judged by nobody. A base request's control
 * stands before them, and its partner is fresh or has the allowance left over.
 */
export interface GapProbe {
  readonly gaps: readonly GapId[];
  readonly baseRequest: BaseRequest;
  readonly spends?: Check['spends'] | undefined;
  readonly needs?: Check['needs'];
  readonly unless?: Check['unless'];
  readonly look: (ctx: CheckContext) => Promise<Looks>;
}

/** What the probes of one run have seen. */
export interface GapBook {
  readonly seen: Map<GapId, Sighting | Unseen>;
  readonly refusals: (readonly [ErrorCondition, Answer])[];
}

/** An empty book. */
export function openGapBook(): GapBook {
  return { seen: new Map(), refusals: [] };
}

/** Where a rule's id stands for a check, this stands for a probe; no rule is named so. */
export const GAP_PREFIX = 'gap/';

/** Probes as checks that write into a book; planned after all others, and never a verdict. */
export function probeChecks(probes: readonly GapProbe[], book: GapBook): Check[] {
  return probes.map(({ gaps, baseRequest, spends, needs, unless, look }) => ({
    id: `${GAP_PREFIX}${gaps[0]}`,
    rules: gaps.map((gap) => GAP_PREFIX + gap),
    baseRequest,
    needs,
    unless,
    spends: spends ?? (() => ({})),
    priority: LAST,
    run: async (ctx) => {
      const { seen, refusals = [] } = await lookBesideControl(ctx, baseRequest, gaps, look);
      for (const gap of gaps) {
        const one = seen[gap];
        if (one) book.seen.set(gap, one);
      }
      book.refusals.push(...refusals.filter(([, answer]) => answer.outcome === 'refused'));
      return pass('looked at');
    },
  }));
}

const LAST = 100;

/** What is refused where a well-formed request is refused too tells nothing. */
async function lookBesideControl(
  ctx: CheckContext,
  baseRequest: BaseRequest,
  gaps: readonly GapId[],
  look: GapProbe['look'],
): Promise<Looks> {
  if (baseRequest === 'standalone' || ctx.opening?.outcome === 'accepted') return look(ctx);
  const unseen = { unseen: 'a well-formed request was not accepted before it' };
  return { seen: Object.fromEntries(gaps.map((gap) => [gap, unseen])) };
}

/** One of several readings of a request: the setting it stands for, and its answer. */
export interface Reading<Value> {
  readonly value: Value;
  readonly words: string;
  readonly send: () => Promise<Answer>;
}

/** The first reading that is accepted; a target that accepts none leaves the gap unseen. */
export async function firstAccepted<Value>(
  readings: readonly Reading<Value>[],
  what: string,
): Promise<Sighting | Unseen> {
  const refused: Answer[] = [];
  for (const { value, words, send } of readings) {
    const answer = await send();
    if (answer.outcome === 'accepted') return { value, words, exchanges: [answer.exchange] };
    if (answer.outcome === 'broken') return { unseen: `no answer to ${what}: ${answer.failure}` };
    refused.push(answer);
  }
  const statuses = [...new Set(refused.map(({ status }) => status))].join(', ');
  return { unseen: `${what} was refused in every reading (status ${statuses})` };
}

/** A sighting of either answer to a request beside an accepted control. */
export function eitherWay(
  answer: Answer,
  accepted: { readonly value: unknown; readonly words: string },
  refused: { readonly value: unknown; readonly words?: string },
): Sighting | Unseen {
  const exchanges = [answer.exchange];
  switch (answer.outcome) {
    case 'accepted':
      return { ...accepted, exchanges };
    case 'refused':
      return {
        value: refused.value,
        words: refused.words ?? `refused with status ${answer.status}`,
        exchanges,
      };
    case 'broken':
      return { unseen: `no answer: ${answer.failure}` };
  }
}
