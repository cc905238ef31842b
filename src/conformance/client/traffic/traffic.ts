import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import type { ScenarioFrame } from '../../../documents/scenario.ts';
import { type ReceivedToken, receivedTokens } from './received-tokens.ts';

/** A client's requests in one scenario, or while listening, with the tokens that it received. */
export interface Traffic {
  /** Null while listening. */
  readonly scenario: ScenarioFrame | null;
  /** True if every token that the client can have is in this traffic. */
  readonly complete: boolean;
  /** Requests of the client, in the order received. */
  readonly requests: readonly ParsedRequest[];
  readonly tokenRequests: readonly ParsedRequest[];
  readonly estimates: readonly ParsedRequest[];
  readonly tokens: readonly ReceivedToken[];
  /** Requests that the scenario sent as another system of the partner. */
  readonly elsewhere: readonly ParsedRequest[];
}

/** Sorts requests by sender and purpose, and collects the tokens received. */
export function trafficOf(
  all: readonly ParsedRequest[],
  scenario: ScenarioFrame | null,
  complete: boolean,
): Traffic {
  const ordered = [...all].sort((a, b) => a.receivedMs - b.receivedMs);
  const requests = ordered.filter(({ sender, kind }) => sender === 'client' && kind !== 'probe');
  return {
    scenario,
    complete,
    requests,
    tokenRequests: requests.filter(({ kind }) => kind === 'token'),
    estimates: requests.filter(({ kind }) => kind === 'estimate'),
    tokens: receivedTokens(requests),
    elsewhere: ordered.filter(({ sender }) => sender === 'elsewhere'),
  };
}
