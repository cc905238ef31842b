import type { FaultInjector } from './fault-injector.ts';

/** A partner of the reference server, as given to a client. */
export interface ScenarioPartner {
  readonly id: string;
  readonly signingKey: string;
  readonly use: 'general';
  readonly authCodes: readonly string[];
}

/** Starts the reference server. Passed in: the checker does not import the server. */
export type StartReference = (options: {
  readonly interceptor: FaultInjector;
  readonly partners: readonly ScenarioPartner[];
  readonly expiresInSeconds: number;
}) => Promise<{ readonly baseUrl: string; close(graceMs?: number): Promise<void> }>;
