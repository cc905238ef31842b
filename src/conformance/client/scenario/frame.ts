import type { ScenarioFrame } from '../../../documents/scenario.ts';
import type { CapturedRequest } from '../traffic/captured.ts';
import type { ClientEnd } from './client-run.ts';
import { kindOfStimulus, type Scenario, waitsFor } from './scenario.ts';

/** A scenario and how the client's run in it ended. */
export interface EndedScenario {
  readonly scenario: Scenario;
  /** For each stimulus, the first request that it was given to. */
  readonly given: readonly (CapturedRequest | undefined)[];
  readonly end: ClientEnd;
  /** Server clock, ms since the epoch. */
  readonly endedMs: number;
}

/** The frame by which a scenario is judged; stimuli refer to exchanges by id. */
export function frameOf(
  { scenario, given, end, endedMs }: EndedScenario,
  idOf: (request: CapturedRequest) => string | null,
): ScenarioFrame {
  const { name, mode, estimates, atLeast, goesOnRule, mayOutlast, outlivesToken } = scenario;
  return {
    name,
    mode,
    estimates,
    atLeast,
    goesOnRule,
    mayOutlast,
    outlivesToken,
    ended: end.ended,
    endedMs,
    stimuli: scenario.stimuli.map((stimulus, index) => {
      const request = given[index];
      return {
        kind: kindOfStimulus(stimulus),
        waitsFor: waitsFor(stimulus),
        given: request === undefined ? null : idOf(request),
      };
    }),
  };
}
