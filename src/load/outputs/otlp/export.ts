import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Labels } from '../../../files/prometheus-text.ts';
import { ConfigurationError } from '../../../interface/errors.ts';
import type { RunRecords } from '../../record/run-records.ts';
import type { OutputSample, RunOutput } from '../output.ts';
import { loadOtlp, type OtlpPackages } from './packages.ts';
import { runMetrics } from './run-metrics.ts';

const DEFAULT_EXPORT_MS = 2000;
/** `ExportResultCode.SUCCESS` of @opentelemetry/core. */
const SUCCESS = 0;

/** Options of an export to a collector. */
export interface OtlpOptions {
  /** As readCollectorAddress returns it. */
  readonly url: string;
  /** Attributes of the resource, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
  /** Time for one export; default 2 s. */
  readonly exportMs?: number | undefined;
}

type Exporter = InstanceType<OtlpPackages['OTLPMetricExporter']>;
type Result = { readonly code: unknown; readonly error?: Error };
type ExporterMetrics = Parameters<Exporter['export']>[0];

/** Metrics that wait to be exported. */
interface Waiting {
  readonly records: RunRecords;
  readonly attributes: Labels;
}

/**
 * Exports the measurements of runs to a collector by OTLP over HTTP. One export is on its way at a time:
 * while a collector is slow, only the newest records of each target wait, so that neither the run nor its
 * memory depends on the collector.
 */
export class OtlpExport implements RunOutput {
  readonly takesRecords = true;
  readonly #options: OtlpOptions;
  readonly #packages: OtlpPackages;
  readonly #exporter: Exporter;
  /** Own ones, so that a request that hangs can be ended. */
  readonly #agent: Agent | SecureAgent;
  readonly #exportMs: number;
  readonly #waiting = new Map<string, Waiting>();
  #sending: Promise<void> | null = null;

  private constructor(options: OtlpOptions, packages: OtlpPackages) {
    this.#options = options;
    this.#packages = packages;
    this.#exportMs = options.exportMs ?? DEFAULT_EXPORT_MS;
    const isSecure = options.url.startsWith('https:');
    this.#agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
    this.#exporter = new packages.OTLPMetricExporter({
      url: options.url,
      timeoutMillis: this.#exportMs,
      httpAgentOptions: () => this.#agent,
    });
  }

  /** @throws ConfigurationError `OTLP_NOT_INSTALLED` */
  static async open(options: OtlpOptions): Promise<OtlpExport> {
    return new OtlpExport(options, await loadOtlp());
  }

  /** Resolves when all is sent that waits then; rejects if it was not, in a sentence without credentials. */
  add({ target: { name, baseUrl }, records }: OutputSample): Promise<void> {
    if (records === null) return Promise.resolve();
    const { hostname, port, protocol } = new URL(baseUrl);
    const attributes = {
      target: name,
      'server.address': hostname.replace(/^\[|\]$/g, ''),
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    };
    this.#waiting.set(JSON.stringify(attributes), { records, attributes });
    this.#sending ??= this.#sendAll();
    return this.#sending;
  }

  /** Sends what still waits, and ends; takes at most the time of two exports, of three with two targets. */
  async stop(): Promise<void> {
    await this.#sending?.catch(() => undefined);
    this.#agent.destroy();
  }

  async #sendAll(): Promise<void> {
    // The caller continues first: what follows is no part of the run.
    await Promise.resolve();
    const problems: string[] = [];
    // What is set meanwhile is sent too.
    for (const [key, one] of this.#waiting) {
      this.#waiting.delete(key);
      problems.push(...(await this.#send(one)));
    }
    this.#sending = null;
    const [problem] = problems;
    if (problem === undefined) return;
    throw new Error(`metrics are not exported: ${this.#options.url} ${problem}`);
  }

  async #send({ records, attributes }: Waiting): Promise<string[]> {
    const { resource } = this.#options;
    const metrics = runMetrics(records, attributes, this.#packages);
    if (metrics.length === 0) return [];
    return this.#export({
      resource: this.#packages.resourceFromAttributes(resource),
      scopeMetrics: [{ scope: { name: 'fareproof' }, metrics }],
    });
  }

  /** The reason why an export failed; none if it did not. */
  #export(metrics: ResourceMetrics): Promise<string[]> {
    return new Promise((resolve) => {
      const limit = setTimeout(() => {
        // The time limit of the exporter starts anew with each byte.
        this.#agent.destroy();
        resolve([`did not answer within ${this.#exportMs / 1000} s`]);
      }, this.#exportMs);
      // The exporter may bring a copy of the SDK of its own, with enums of its own.
      const own: unknown = metrics;
      this.#exporter.export(own as ExporterMetrics, ({ code, error }: Result) => {
        clearTimeout(limit);
        resolve(code === SUCCESS ? [] : [reasonOf(error)]);
      });
    });
  }
}

function reasonOf(error: (Error & { readonly code?: unknown }) | undefined): string {
  if (typeof error?.code === 'number') return `answered with status ${error.code}`;
  return `could not be reached (${error?.message ?? 'unknown error'})`;
}

const PATH = '/v1/metrics';

/**
 * Reads the address of a collector, such as `http://127.0.0.1:4318`, and returns that to which metrics
 * are sent: `/v1/metrics` is added unless the path ends with it.
 *
 * @throws ConfigurationError `OTLP_URL`, which does not quote a URL with credentials
 */
export function readCollectorAddress(text: string): string {
  const refused = (why: string): ConfigurationError =>
    new ConfigurationError('OTLP_URL', why, { field: 'otlp' });
  if (/^[^/]*(\/\/)?[^/]*@/.test(text)) {
    throw refused(
      'leave credentials out of the URL, where other users of the machine see them; give them as a header by OTEL_EXPORTER_OTLP_HEADERS.',
    );
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw refused(`"${text}" is not an address such as http://127.0.0.1:4318.`);
  }
  const path = url.pathname.replace(/\/+$/, '');
  return url.origin + (path.endsWith(PATH) ? path : path + PATH);
}
