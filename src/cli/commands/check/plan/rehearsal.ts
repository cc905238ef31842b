import { setImmediate } from 'node:timers/promises';
import {
  type CheckServiceOptions,
  type Forecast,
  forecastService,
} from '../../../../conformance/index.ts';
import { describeProfile, startServer } from '../../../../server/index.ts';
import { TOOL } from '../../../tool.ts';

type RunClock = Required<Pick<CheckServiceOptions, 'wall' | 'monotonic' | 'pause' | 'sleepUntil'>>;

/**
 * Forecasts a check by a rehearsal on the reference server, with the partners of the target. Where the
 * target is the embedded server, it is rehearsed on itself.
 */
export async function rehearse(options: CheckServiceOptions): Promise<Forecast> {
  if (options.companion) return forecastService(options, { ...options, clock: options });
  const { environment, partners, signature, estimates, control } = options.target;
  const clock = movingClock(options);
  const server = await startServer({
    environment,
    partners,
    behaviour: {
      'signed-fields-token': signature.tokenFields,
      'signed-fields-estimate': signature.estimateFields,
    },
    clock: { now: clock.wall },
    version: TOOL.version,
    ...(control ? { controlPort: 0 } : {}),
  });
  try {
    const profile = describeProfile(server);
    const shapes = Object.entries(profile.estimates).filter(([shape]) => shape in estimates);
    const target = { ...profile, estimates: Object.fromEntries(shapes) };
    return await forecastService(options, { target, clock });
  } finally {
    await server.close(0);
  }
}

/** Clocks of a run that pauses and waits move on instead of taking their time; pauses at once overlap. */
function movingClock(base: Pick<CheckServiceOptions, 'wall' | 'monotonic'>): RunClock {
  let passedMs = 0;
  const wall = (): number => base.wall() + passedMs;
  const monotonic = (): number => base.monotonic() + passedMs;
  return {
    wall,
    monotonic,
    pause: async (forMs) => {
      const endMs = monotonic() + forMs;
      await setImmediate();
      passedMs += Math.max(0, endMs - monotonic());
    },
    sleepUntil: async (atMs) => {
      passedMs += Math.max(0, atMs - wall());
    },
  };
}
