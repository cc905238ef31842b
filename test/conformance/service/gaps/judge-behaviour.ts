import {
  type CheckServiceOptions,
  checkService,
  FULL_SUITE,
  type ServiceResult,
} from '../../../../src/conformance/index.ts';
import type { BehaviourInput } from '../../../../src/interface/behaviour-schema.ts';
import { describeProfile, startServer } from '../../../../src/server/index.ts';
import { runClock } from '../../../independent-service/run-clock.ts';

const PARTNERS = Array.from({ length: 6 }, (_, at) => ({
  id: `partner-${at}`,
  signingKey: `key-of-partner-${at}`,
  use: 'general' as const,
  authCodes: Array.from({ length: 6 }, (_one, number) => `code-${at}-${number}`),
}));

/** Judges the reference server with a behaviour, with its control API or with six metered partners. */
export async function judgeBehaviour(
  behaviour: BehaviourInput,
  mode: 'control' | 'metered',
  seed: number,
  run: Partial<CheckServiceOptions> = {},
): Promise<ServiceResult> {
  const clock = runClock();
  const own = mode === 'control' ? { controlPort: 0 } : { partners: PARTNERS };
  const servers = await Promise.all(
    (['production', 'test'] as const).map((environment) =>
      startServer({ environment, behaviour, clock, ...own }),
    ),
  );
  try {
    const [target, companion] = servers.map(describeProfile);
    return await checkService({
      ledger: 'none',
      target: target!,
      ...(mode === 'control' ? { companion: companion! } : {}),
      suite: FULL_SUITE,
      seed,
      clock,
      timeoutMs: 60_000,
      maxRate: null,
      allowBan: false,
      requireComplete: false,
      ...run,
    });
  } finally {
    await Promise.all(servers.map((server) => server.close(0)));
  }
}
