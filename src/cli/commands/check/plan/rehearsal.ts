import {
  type CheckServiceOptions,
  type Forecast,
  forecastService,
  MACHINE_CLOCK,
  movingClock,
} from '../../../../conformance/index.ts';
import { describeProfile, startServer } from '../../../../server/index.ts';
import { TOOL } from '../../../tool.ts';

/**
 * Forecasts a check by a rehearsal on the reference server, with the partners of the target. Where the
 * target is the embedded server, it is rehearsed on itself.
 */
export async function rehearse(options: CheckServiceOptions): Promise<Forecast> {
  const given = options.clock ?? MACHINE_CLOCK;
  if (options.companion) return forecastService(options, { ...options, clock: given });
  const { environment, partners, signature, estimates, control } = options.target;
  const clock = movingClock(given);
  const server = await startServer({
    environment,
    partners,
    behaviour: {
      'signed-fields-token': signature.tokenFields,
      'signed-fields-estimate': signature.estimateFields,
    },
    clock,
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
