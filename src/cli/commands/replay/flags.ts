/** Flags of `fareproof replay`. */
export interface ReplayFlags {
  readonly target?: string;
  readonly ledger?: string;
  readonly serviceRestarted?: true;
  readonly timeout: string;
  readonly json?: true;
}
