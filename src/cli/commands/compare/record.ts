import type { LoadDocument } from '../../../documents/load.ts';
import type { Io } from '../../io.ts';
import { TOOL } from '../../tool.ts';
import { optionsFor } from '../load/run.ts';
import { readLoadSettings } from '../load/settings.ts';
import { withLoadTargets } from '../load/target.ts';
import { LoadWatch } from '../load/watch.ts';
import type { CompareFlags } from './flags.ts';

const DEFAULTS = { duration: '2s', warmup: '500ms', runs: '20' };

/**
 * Records the runs of a self-test; one that an interruption cut short is left out.
 *
 * @throws as load
 */
export async function recordRuns(
  flags: CompareFlags,
  signal: AbortSignal,
  io: Io,
): Promise<LoadDocument[]> {
  const { planLoad, runSet } = await import('../../../load/index.ts');
  const { rate, connections, duration, warmup, runs } = { ...DEFAULTS, ...flags };
  const load = {
    duration,
    warmup,
    runs,
    ...(rate !== undefined && { rate }),
    ...(connections !== undefined && { connections }),
  };
  const settings = await readLoadSettings(load, io);
  return withLoadTargets(flags, io, async (target) => {
    const set = await runSet(await planLoad(await optionsFor(settings, target, signal)), {
      runs: settings.runs,
      tool: TOOL,
      observer: new LoadWatch(io, null),
    });
    return set.runs.filter(({ interrupted }) => !interrupted);
  });
}
