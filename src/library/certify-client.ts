import { randomInt } from 'node:crypto';
import { certificationDocument } from '../app/certify/certificate.ts';
import { certify } from '../app/certify/certify.ts';
import type { ScenarioProgress } from '../conformance/index.ts';
import type { ConformanceDocument } from '../documents/conformance.ts';
import { type OptionNames, refuseUnknownOptions } from '../interface/index.ts';
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

const NAMES = {
  command: true,
  scenarios: true,
  orders: true,
  seed: true,
  signal: true,
  onScenario: true,
} satisfies OptionNames<CertifyOptions>;

/**
 * Judges a client by the requests that it sends, as `fareproof certify`; issues no certificate.
 *
 * @returns the run document, which `toHtml`, `toMarkdown` and `toJUnit` render
 * @throws ConfigurationError `OPTION_UNKNOWN`, `CLIENT_NOT_FOUND`, or for scenarios that cannot be read
 */
export async function certifyClient(options: CertifyOptions): Promise<ConformanceDocument> {
  refuseUnknownOptions(options, NAMES);
  const { command, scenarios = [], orders = null, seed, signal, onScenario } = options;
  const names = typeof scenarios === 'string' ? [scenarios] : scenarios;
  let certified: ConformanceDocument | undefined;
  await certify(
    { command, scenarios: names, orders, seed: seed ?? randomInt(2 ** 31) },
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
