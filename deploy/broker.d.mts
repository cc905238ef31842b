/** See broker.mjs. */
export function accountsOf(keys: {
  readonly controller: string;
  readonly agents: Readonly<Record<string, string>>;
  readonly group?: string;
}): string;
