import {
  type CheckServiceOptions,
  type Forecast,
  forecastService,
  MACHINE_CLOCK,
} from '../../conformance/index.ts';
import type { ForecastDocument } from '../../documents/forecast.ts';
import { openServersInProcess } from '../embedded/in-process.ts';
import { TOOL } from '../tool.ts';

/**
 * Forecasts a check by a rehearsal on the reference server, with the partners of the target. Where the
 * target is the embedded server, it is rehearsed on itself.
 */
export async function forecastCheck(options: CheckServiceOptions): Promise<ForecastDocument> {
  const { name, baseUrl, environment } = options.target;
  const target = { name, baseUrl, environment };
  return { tool: TOOL, target, suite: options.suite.name, ...(await rehearse(options)) };
}

async function rehearse(options: CheckServiceOptions): Promise<Forecast> {
  const given = options.clock ?? MACHINE_CLOCK;
  if (options.companion) return forecastService(options, { ...options, clock: given });
  const { environment, partners, signature, estimates, control, refusedRequestsCount } =
    options.target;
  const server = {
    environment,
    partners,
    behaviour: {
      'signed-fields-token': signature.tokenFields,
      'signed-fields-estimate': signature.estimateFields,
    },
    version: TOOL.version,
    ...(control ? { controlToken: 'control-token-of-rehearsal' } : {}),
  };
  const { profiles, ...world } = await openServersInProcess([server], {
    seed: options.seed,
    startMs: given.now(),
  });
  const profile = profiles[0]!;
  const shapes = Object.entries(profile.estimates).filter(([shape]) => shape in estimates);
  const target = { ...profile, estimates: Object.fromEntries(shapes), refusedRequestsCount };
  return forecastService(options, { target, ...world });
}
