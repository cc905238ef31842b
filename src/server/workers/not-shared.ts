import type { Behaviour } from '../../interface/index.ts';
import type { ServerOptions } from '../server-options.ts';

/**
 * Names the option for which a server has one worker: what it does is not shared between processes. Null
 * if there is none.
 */
export function optionOfOneWorker(options: ServerOptions, behaviour: Behaviour): string | null {
  if (options.interceptor !== undefined) return 'interceptor';
  if (options.refusesForeign) return 'refusesForeign';
  if (options.faults !== undefined && options.faults.length > 0) return 'faults';
  if (options.clock !== undefined) return 'clock';
  if (behaviour['estimate-rate-limit'] !== 'none') return 'estimate-rate-limit';
  if (behaviour['ban-reach'] === 'everything') return 'ban-reach: everything';
  if (behaviour['refresh-replay-consequence'] === 'family-ended')
    return 'refresh-replay-consequence: family-ended';
  return null;
}
