import {
  type CheckServiceOptions,
  checkService,
  type ServiceResult,
} from '../../../../src/conformance/index.ts';
import type { BehaviourInput } from '../../../../src/interface/behaviour-schema.ts';
import { RUN } from '../../../independent-service/judge.ts';
import { embeddedPair } from '../../../independent-service/world.ts';

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
  const own = mode === 'control' ? {} : { partners: PARTNERS };
  const { companion, ...world } = await embeddedPair({ behaviour, ...own });
  const pair = mode === 'control' ? { ...world, companion } : world;
  return checkService({ ...RUN, requests: undefined, seed, ...pair, ...run });
}
