import { ALLOWANCE_PER_DAY } from '../../../../interface/limits.ts';
import { countOfRefused } from '../../../model/refused-count.ts';
import { violated } from '../../../verdict.ts';
import { type Check, type Finding, standalone } from '../../contract/check.ts';
import { type Mistake, RULE_OF_MISTAKE } from '../script/mistakes.ts';
import { Player } from '../script/player.ts';
import { NOT_SHOWN } from '../script/script-check.ts';
import { type Get, get, refresh, spendingOfSteps } from '../script/steps.ts';

/** Mistakes of refreshes: those of platform tokens would leave the check of these no partner. */
const MISTAKES = ['signature', 'time', 'nostr'] as const satisfies readonly Mistake[];

/** Refresh with a mistake, of a token of its own: if it is accepted, it uses that up. */
const withWrong = (wrong: Mistake): Get => refresh(wrong, null, { expects: 'refused', wrong });

/** Right refreshes, until one is refused. */
const right = (count: number): Get[] =>
  Array.from({ length: count }, () =>
    refresh('right', 'right', { expects: 'either', untilRefused: true }),
  );

const ALL = [
  ...MISTAKES.flatMap((wrong) => [get(wrong), withWrong(wrong)]),
  get('right'),
  ...right(ALLOWANCE_PER_DAY.refresh),
];

/**
 * Probes whether refused requests count against an allowance (gap `failed-requests-count`): a partner that may be
 * banned sends some, and then its whole allowance. A mistake that is accepted breaks its rule.
 *
 * @param onFree called if none of them counted
 */
export function refusedCount(onFree: () => void): Check {
  return {
    id: 'survey:refused-count',
    rules: MISTAKES.map((wrong) => RULE_OF_MISTAKE[wrong]),
    places: [standalone('refreshes until one is refused')],
    priority: { stage: 'further', rank: 1 },
    effect: 'counts',
    needs: { ban: true },
    spends: () => spendingOfSteps(ALL),
    run: async (ctx) => {
      const player = new Player(ctx, { isCounted: true });
      const { course } = player;
      const findings: Record<string, Finding> = {};
      let accepted = 0;
      for (const wrong of MISTAKES) {
        findings[RULE_OF_MISTAKE[wrong]] = NOT_SHOWN;
        await player.playOn([get(wrong)]);
        const token = course.last;
        await player.playOn([withWrong(wrong)]);
        const { last } = course;
        if (last === token || last?.outcome !== 'accepted') continue;
        accepted++;
        const expected = `a refusal of a refresh with a wrong ${wrong}`;
        const got = `it is accepted with status ${last.status}`;
        findings[RULE_OF_MISTAKE[wrong]] = violated(expected, got, last.exchange);
      }
      await player.playOn([get('right'), ...right(ALLOWANCE_PER_DAY.refresh - accepted)]);
      const own = ctx.log().filter(({ id }) => course.sent.has(id));
      if (countOfRefused(own)?.value === 'no') onFree();
      return findings;
    },
  };
}
