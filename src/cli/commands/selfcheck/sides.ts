import type { SelfcheckSide } from './side.ts';

/** The sides of `selfcheck` by the name used in its document. */
export const SIDES: Readonly<Record<string, () => Promise<SelfcheckSide>>> = {
  service: async () => (await import('./service-side.ts')).serviceSide,
  client: async () => (await import('./client-side.ts')).clientSide,
};
