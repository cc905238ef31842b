import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Scenario } from '../../conformance/index.ts';
import type { Surroundings } from '../surroundings.ts';

const ZONES = '/usr/share/zoneinfo';
const TIMEOUT_MS = 5000;

/** The variables of scenarios, `TZ` or `LC_ALL`, whose time zone or locale this machine has no data for. */
export async function missingData(
  scenarios: readonly Scenario[],
  { env }: Pick<Surroundings, 'env'>,
): Promise<string[]> {
  const values = (name: 'TZ' | 'LC_ALL'): string[] =>
    scenarios.flatMap(({ environment }) => environment[name] ?? []);
  const zones = values('TZ').map((zone) => access(join(env['TZDIR'] ?? ZONES, zone)));
  const hasZones = await Promise.all(zones).then(
    () => true,
    () => false,
  );
  const locales = values('LC_ALL');
  const known = locales.length > 0 ? await installedLocales() : [];
  const hasLocales = locales.every((locale) => known.includes(plain(locale)));
  return [...(hasZones ? [] : ['TZ']), ...(hasLocales ? [] : ['LC_ALL'])];
}

async function installedLocales(): Promise<string[]> {
  try {
    const { stdout } = await promisify(execFile)('locale', ['-a'], { timeout: TIMEOUT_MS });
    return stdout.split('\n').map(plain);
  } catch {
    return [];
  }
}

/** `de_DE.utf8` and `de_DE.UTF-8` are one. */
const plain = (locale: string): string => locale.toLowerCase().replaceAll('-', '');
