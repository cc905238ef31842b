import { ALLOWANCE_PER_DAY } from '../../../../interface/limits.ts';
import { countOfRefused } from '../../../model/refused-count.ts';
import { type Check, standalone } from '../../contract/check.ts';
import { Player } from '../script/player.ts';
import { get, refresh, type Step, spendingOf } from '../script/steps.ts';

const MISTAKES = ['signature', 'time', 'nostr'] as const;

/** Refreshes: those of a platform token leave the check of platform tokens its partner. */
const STEPS: readonly Step[] = [
  get('first'),
  ...MISTAKES.map((wrong) => refresh('first', null, { expects: 'refused', wrong })),
  ...Array.from({ length: ALLOWANCE_PER_DAY.refresh }, () =>
    refresh('first', 'first', { expects: 'either', untilRefused: true }),
  ),
];

/**
 * Probes whether refused requests count against an allowance (gap `failed-requests-count`): a partner that may be
 * banned sends some, and then its whole allowance. It judges no rule.
 *
 * @param onFree called if none of them counted
 */
export function refusedCount(onFree: () => void): Check {
  return {
    id: 'survey:refused-count',
    rules: [],
    places: [standalone()],
    effect: 'counts',
    needs: { ban: true },
    spends: () => spendingOf(STEPS),
    run: async (ctx) => {
      const player = new Player(ctx, { isCounted: true });
      await player.play(STEPS);
      const own = ctx.log().filter(({ id }) => player.course.sent.has(id));
      if (countOfRefused(own)?.value === 'no') onFree();
      return {};
    },
  };
}
