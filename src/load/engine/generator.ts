import type { GeneratorReport } from './generator-report.ts';

/** One generator of a plan, ready to start, wherever it runs. */
export interface GeneratorHandle {
  /**
   * Runs its part of the plan.
   *
   * @param startNs start of the schedule, monotonic clock of the machine; may lie ahead
   * @param ending ends the run early when it aborts; what was measured is reported
   * @returns rejects where the generator itself failed
   */
  run(startNs: number, ending: AbortSignal): Promise<GeneratorReport>;
  /** Null for an engine that cannot replace the token during a run. */
  readonly token: TokenUser | null;
}

/** A sender of requests that takes new access tokens while it runs. */
export interface TokenUser {
  /** Uses this token from now on; requests in flight may still carry the one before it. */
  setToken(accessToken: string): void;
  /** Stops sending, and resolves when nothing is in flight. */
  pause(): Promise<void>;
  /** Sends again, with this token. */
  resume(accessToken: string): void;
}

/** Several generators as one user of the token. */
export function tokenUserOf(handles: readonly GeneratorHandle[]): TokenUser {
  const users = handles.flatMap(({ token }) => token ?? []);
  return {
    setToken: (accessToken) => {
      for (const user of users) user.setToken(accessToken);
    },
    pause: async () => {
      await Promise.all(users.map((user) => user.pause()));
    },
    resume: (accessToken) => {
      for (const user of users) user.resume(accessToken);
    },
  };
}
