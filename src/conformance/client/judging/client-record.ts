import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import type { ScenarioFrame } from '../../../documents/scenario.ts';
import { type Traffic, trafficOf } from '../traffic/traffic.ts';

/** The requests of a client in one scenario, or while listening. */
export interface ClientRecord {
  /** Null while listening. */
  readonly frame: ScenarioFrame | null;
  /** Globs over the rules that the scenario is meant to judge; violations count anywhere. */
  readonly judges: readonly string[];
  readonly exitCode: number | null;
  /** True if every token that the client can have is in these requests. */
  readonly complete: boolean;
  readonly requests: readonly ParsedRequest[];
}

/** The record of a client that is listened to. */
export function listeningRecord(
  requests: readonly ParsedRequest[],
  complete: boolean,
): ClientRecord {
  return { frame: null, judges: [], exitCode: null, complete, requests };
}

/** The traffic of a record, which rules judge. */
export function trafficOfRecord({ requests, frame, complete }: ClientRecord): Traffic {
  return trafficOf(requests, frame, complete);
}
