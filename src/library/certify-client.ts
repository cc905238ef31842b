import { randomInt } from 'node:crypto';
import { certificationDocument } from '../app/certify/certificate.ts';
import { certify } from '../app/certify/certify.ts';
import { ORDERS, SEED } from '../app/option-values.ts';
import type { ScenarioProgress } from '../conformance/index.ts';
import type { ConformanceDocument } from '../documents/conformance.ts';
import type { OptionTableOf } from '../interface/options.ts';
import { TARGET_VALUES, withOptions } from './options.ts';
import { libraryProcess } from './target.ts';

/** Options of {@link certifyClient}; only `command` is required. */
export interface CertifyOptions {
  /** Command of the client, and its arguments; it is run once in each scenario. */
  readonly command: readonly string[];
  /** Scenarios to run: names, globs or files. Default all. */
  readonly scenarios?: string | readonly string[] | undefined;
  /** Declares whether the client orders rides for users who have no contact with the service. Default undeclared. */
  readonly orders?: 'yes' | 'no' | undefined;
  /** Seed of random texts. Default a new one each time. */
  readonly seed?: number | undefined;
  /** Ends the certification early; what was found until then is returned. */
  readonly signal?: AbortSignal | undefined;
  /** Called at the end of each scenario, with its verdict. */
  readonly onScenario?: ((ended: ScenarioProgress) => void) | undefined;
}

const VALUES = {
  command: {
    kind: 'list',
    min: 1,
    isRequired: true,
    unit: 'a list of a program and its arguments',
  },
  scenarios: { kind: 'texts', unit: 'a scenario, or a list of them' },
  orders: ORDERS,
  seed: SEED,
  signal: TARGET_VALUES.signal,
  onScenario: { kind: 'function' },
} as const satisfies OptionTableOf<CertifyOptions>;

/**
 * Judges a client by the requests that it sends, as `fareproof certify`; issues no certificate.
 *
 * @returns the run document, which `toHtml`, `toMarkdown` and `toJUnit` render
 * @throws ConfigurationError `OPTION_UNKNOWN`, `OPTION_INVALID`, `CLIENT_NOT_FOUND`, or for scenarios that cannot be read
 */
export function certifyClient(options: CertifyOptions): Promise<ConformanceDocument> {
  return withOptions(options, VALUES, () => certifyScenarios(options));
}

async function certifyScenarios({
  command,
  scenarios = [],
  orders,
  seed,
  signal,
  onScenario,
}: CertifyOptions): Promise<ConformanceDocument> {
  const names = typeof scenarios === 'string' ? [scenarios] : scenarios;
  let certified: ConformanceDocument | undefined;
  await certify(
    { command, scenarios: names, orders: orders ?? null, seed: seed ?? randomInt(2 ** 31) },
    {
      page: null,
      onScenario: (ended) => onScenario?.(ended),
      onListening: () => undefined,
      onRequest: () => undefined,
      deliver: async ({ result }) => {
        certified = certificationDocument(result, {});
        return { document: certified, folder: '' };
      },
    },
    libraryProcess(signal),
  );
  return certified!;
}
