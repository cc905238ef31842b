import { countOfRefused } from '../../../model/refused-count.ts';
import { type Check, standalone } from '../../contract/check.ts';
import { Player, type Step } from './script.ts';

const MISTAKES = ['signature', 'time', 'nostr'] as const;

/** Refreshes: those of a platform token leave the check of platform tokens its partner. */
const STEPS: readonly Step[] = [
  { chain: 'first' },
  ...MISTAKES.map((wrong): Step => ({ kind: 'refresh', expects: 'refused', wrong })),
  { kind: 'refresh', count: 10, expects: 'either', untilRefused: true },
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
    spends: () => ({ platform: 1, refresh: MISTAKES.length + 10 }),
    run: async (ctx) => {
      const player = new Player(ctx);
      await player.play(STEPS);
      const own = ctx.log().filter(({ id }) => player.sent.has(id));
      if (countOfRefused(own)?.value === 'no') onFree();
      return {};
    },
  };
}
