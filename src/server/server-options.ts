import type {
  BehaviourInput,
  PartnerUse,
  ProfilePartner,
  ProfilePartnerInput,
} from '../interface/index.ts';
import type { OptionTableOf } from '../interface/options.ts';
import type { FaultId } from './faults/fault.ts';
import type { Timeouts, TlsOptions } from './http/node-server.ts';
import type { AccessLogEntry } from './http/requests.ts';
import type { Interceptor } from './intercept/interceptor.ts';
import type { Clock } from './service/clock.ts';
import type { RandomSource } from './service/random.ts';
import type { Environment, ExplainSignature } from './service/settings.ts';

/** Options of a server; each may be left out. */
export interface ServerOptions {
  /** 0, the default, picks a free port. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Port of the control API; without it the API is off, 0 picks a free port. */
  readonly controlPort?: number | undefined;
  /**
   * Token that the control API requires. Without one it is random, and the API listens on loopback
   * whatever `host` is.
   */
  readonly controlToken?: string | undefined;
  /** Default `production`. */
  readonly environment?: Environment | undefined;
  /** Default {@link DEMO_PARTNERS}. */
  readonly partners?: readonly ProfilePartnerInput[] | undefined;
  /** Answers to the gaps. */
  readonly behaviour?: BehaviourInput | undefined;
  /** Validity of an access_token, in seconds; default 7200. */
  readonly expiresInSeconds?: number | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Rules to break on purpose: `RULE_ID`, or `RULE_ID#place` to break it for some requests only. */
  readonly faults?: readonly FaultId[] | undefined;
  /** Seed of the day's dynamic pricing; default 1. */
  readonly seed?: number | undefined;
  /** Base of the server's own clock; default the machine's time. */
  readonly clock?: Clock | undefined;
  /** Default cryptographic random bytes. */
  readonly random?: RandomSource | undefined;
  /** For the message of a refusal; default: the message names no mistake. */
  readonly explainSignature?: ExplainSignature | undefined;
  readonly accessLog?: ((entry: AccessLogEntry) => void) | undefined;
  /** Counts requests for `RunningServer.metrics`; default false. Leaves the fast path on. */
  readonly metrics?: boolean | undefined;
  /** Sees every exchange and may change the answers; turns the fast path off. */
  readonly interceptor?: Interceptor | undefined;
  /**
   * Refuses requests whose Host is not the address that it listens on, and those of web pages, as the
   * control API always does; default false. Turns the fast path off.
   */
  readonly refusesForeign?: boolean | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /**
   * Processes that answer requests, on as many cores; default 1, this process. With more, this process
   * keeps the tokens, codes, allowances and the clock, and starts the others, which answer estimates. Some
   * options need one process: `RunningServer.singleBecause` names the one that did.
   */
  readonly workers?: number | undefined;
  /** Time after which a worker that gives no sign of life is replaced, in milliseconds; default 1000. */
  readonly workerSilenceMs?: number | undefined;
  /** Answers estimates ahead of the HTTP parser; default true. */
  readonly fastPath?: boolean | undefined;
  /**
   * Lets the connections of the fast path read into memory that they share, by way of an internal of
   * Node; default true. Without that internal in Node they share none.
   */
  readonly sharedReadBuffer?: boolean | undefined;
  /** Version of this product, for its OpenAPI description. */
  readonly version?: string | undefined;
}

const PORT = { kind: 'integer', min: 0, max: 65_535 } as const;
const MS = { kind: 'integer', min: 0, unit: 'whole milliseconds' } as const;
const FUNCTION = { kind: 'function' } as const;
const SWITCH = { kind: 'switch' } as const;
const TEXT = { kind: 'text' } as const;

/** Values of the options of a server. */
export const SERVER_OPTIONS = {
  port: PORT,
  host: TEXT,
  controlPort: PORT,
  // An empty one counts as none.
  controlToken: { ...TEXT, or: '' },
  environment: { ...TEXT, choices: ['production', 'test'] },
  partners: { kind: 'list' },
  behaviour: { kind: 'object' },
  // At most ten years.
  expiresInSeconds: {
    kind: 'integer',
    unit: 'whole seconds',
    min: 1,
    max: 10 * 366 * 86_400,
    code: 'EXPIRES_IN_INVALID',
  },
  tls: { cert: true, key: true } satisfies OptionTableOf<TlsOptions>,
  faults: { kind: 'list' },
  seed: { kind: 'integer', min: 0, max: 2 ** 32 - 1 },
  clock: { kind: 'object' },
  random: FUNCTION,
  explainSignature: FUNCTION,
  accessLog: FUNCTION,
  metrics: SWITCH,
  interceptor: { kind: 'object' },
  refusesForeign: SWITCH,
  timeouts: { headMs: MS, requestMs: MS, idleMs: MS } satisfies OptionTableOf<Timeouts>,
  workers: { kind: 'integer', min: 1, max: 256, code: 'WORKERS_INVALID' },
  workerSilenceMs: { ...MS, min: 1 },
  fastPath: SWITCH,
  sharedReadBuffer: SWITCH,
  version: TEXT,
} as const satisfies OptionTableOf<ServerOptions>;

const CODES_EACH = 12;

/** The partners of a server that is started without any, one for each use; their keys are public. */
export const DEMO_PARTNERS: readonly ProfilePartner[] = [
  demoPartner('demo', 'general'),
  demoPartner('demo-spendable', 'spendable'),
  demoPartner('demo-witness', 'witness'),
  demoPartner('demo-long-lock', 'long-lock'),
];

function demoPartner(id: string, use: PartnerUse): ProfilePartner {
  return {
    id,
    signingKey: `signing-key-of-${id}`,
    use,
    authCodes: Array.from({ length: CODES_EACH }, (_, index) => `${id}-code-${index + 1}`),
  };
}
