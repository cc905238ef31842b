import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { OutsideService } from './service.ts';

/** Keys and codes of the partners of a service, and every token that it issued. */
export function secretsOf({ partners, tokens, refreshes }: OutsideService): string[] {
  const own = [...partners.values()].flatMap(({ key, codes }) => [key, ...codes.keys()]);
  return [...own, ...tokens.keys(), ...refreshes.keys()];
}

/** Files below a folder, drafts that a killed process left included, each with the secrets that it has in clear. */
export function secretsIn(
  folder: string,
  secrets: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const names = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
    : [];
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(
    files.map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return [name, secrets.filter((secret) => text.includes(secret))];
    }),
  );
}
