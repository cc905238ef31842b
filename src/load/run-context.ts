import type { TargetProfileInput } from '../interface/index.ts';
import type { LedgerChoice } from '../spending/index.ts';
import type { AgentPool } from './agents/pool.ts';
import type { LoadClock } from './clock.ts';
import type { LoadPart } from './load-part.ts';
import type { FindFaults } from './measured-generators.ts';
import type { RunOutput } from './outputs/output.ts';
import type { ServerReading } from './record/usage.ts';

/** Surroundings of a run: its target, clocks, output, and what sends its requests. */
export interface RunContext {
  /** Its baseUrl must be an address, not `embedded`; what has a default may be left out. */
  profile: TargetProfileInput;
  /** Default: the clocks of the machine. */
  clock?: LoadClock | undefined;
  /** Ledger of what the profile's partners spend; left out, the one that the command uses. */
  ledger?: LedgerChoice | undefined;
  /** Permission to put load on a target beyond loopback, which others may run; needed there. */
  iMayLoadThisTarget?: boolean | undefined;
  /** True for a target that was restarted, and has no memory of earlier runs. */
  serviceRestarted?: boolean | undefined;
  /** Is told of the run while it lasts. */
  output?: RunOutput | undefined;
  /** Ends the run; what was measured until then is returned, marked as interrupted. */
  signal?: AbortSignal | undefined;
  /** Each generator in a thread of its own, or all in the calling one; default by the engine. */
  placement?: 'threads' | 'inline' | undefined;
  /**
   * Processes that run the generators, in place of threads of this one; `workers` is then theirs.
   *
   * @internal the library has no function that makes a pool
   */
  agents?: AgentPool | undefined;
  /**
   * Runs only this part of the load, by an access token of the profile; `workers` is that of each part.
   *
   * @internal the library has no function that merges parts
   */
  part?: LoadPart | undefined;
  /** @internal for tests; default: as docs/load.md says, "Generator health" */
  findFaults?: FindFaults | undefined;
  /** Reads the counters of the target's process, where they are available. */
  probeServer?: (() => Promise<ServerReading>) | undefined;
  /** Reads the file of `routes`; default: from the working directory of the process. */
  readText?: ((path: string) => Promise<string>) | undefined;
}
