/** Flag of every command that sends to a metered target. */
export const LEDGER_FLAG = [
  '--ledger <file>',
  "ledger of spent allowances (default: in the user's state directory)",
] as const;

/** Flag of every command that takes a target for one that begins anew. */
export const RESTARTED_FLAG = [
  '--service-restarted',
  'the service is your own and was restarted: it has no memory of earlier runs',
] as const;
