import { randomInt } from 'node:crypto';
import { type CaseResult, replayCase } from '../../conformance/index.ts';
import type { StoredCase } from '../../documents/explored.ts';
import { withTargets } from '../check/targets.ts';
import type { Surroundings } from '../surroundings.ts';

/** Target and limits of a case that is played again. */
export interface AskedCase {
  /** Profile or address; undefined for an embedded server. */
  readonly target: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Plays the steps of a case on fresh partners of a target.
 *
 * @throws ConfigurationError `CONTROL_MISSING` for a target without a control API, and as withTargets
 */
export function playStoredCase(
  { walk }: StoredCase,
  { target: path, timeoutMs }: AskedCase,
  surroundings: Surroundings,
): Promise<CaseResult> {
  return withTargets(path, surroundings, async (targets) => {
    const { target } = await targets;
    const { clock } = surroundings;
    const signal = surroundings.interruption();
    return replayCase({ target, walk, timeoutMs, clock, signal, seed: randomInt(2 ** 31) });
  });
}
