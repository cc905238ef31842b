import type {
  Behaviour,
  BehaviourInput,
  ProfilePartner,
  ServiceRuleId,
} from '../interface/index.ts';
import { behaviourSchema, ConfigurationError } from '../interface/index.ts';
import type { Clock } from './clock.ts';
import { MovableClock, wallClock } from './clock.ts';
import { CONTROL_ERRORS, ControlApi } from './control.ts';
import { DEMO_PARTNERS } from './demo-partners.ts';
import { FastConnections } from './fast-path/connections.ts';
import { FastPath } from './fast-path/fast-path.ts';
import { switchFaults } from './faults/switches.ts';
import type { AccessLogEntry } from './http/access-log.ts';
import { HttpListener } from './http/listener.ts';
import { DEFAULT_TIMEOUTS, type Timeouts, type TlsOptions } from './http/node-server.ts';
import type { Interceptor } from './intercept/interceptor.ts';
import type { RandomSource } from './random.ts';
import { cryptoRandom } from './random.ts';
import { Service } from './service.ts';
import type { Environment } from './settings.ts';
import { userOf } from './token/entitlement.ts';

/** How a server is started; everything may be left out. */
export interface ServerOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Port of the control API; left out it is off, 0 takes any free port. */
  readonly controlPort?: number | undefined;
  /** What the control API asks for; without it, the API listens on loopback only. */
  readonly controlToken?: string | undefined;
  /** Default `production`. */
  readonly environment?: Environment | undefined;
  /** Default {@link DEMO_PARTNERS}. */
  readonly partners?: readonly ProfilePartner[] | undefined;
  /** Answers to the gaps. */
  readonly behaviour?: BehaviourInput | undefined;
  /** Validity of an access_token, in seconds; default 7200. */
  readonly expiresInSeconds?: number | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Rules to break on purpose. */
  readonly faults?: readonly ServiceRuleId[] | undefined;
  /** Shapes the day's dynamic pricing; default 1. */
  readonly seed?: number | undefined;
  /** What the server's own clock runs with; default the machine's. */
  readonly clock?: Clock | undefined;
  /** Default cryptographic random bytes. */
  readonly random?: RandomSource | undefined;
  readonly accessLog?: ((entry: AccessLogEntry) => void) | undefined;
  /** Sees every exchange and may change the answers; turns the fast path off. */
  readonly interceptor?: Interceptor | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Whether estimates may be answered ahead of the HTTP parser; default true. */
  readonly fastPath?: boolean | undefined;
  /**
   * Whether the connections of the fast path may read into memory that they share, by way of an
   * internal of Node; default true. Where Node does not have that internal they never do.
   */
  readonly sharedReadBuffer?: boolean | undefined;
  /** Version of this product, for its OpenAPI description. */
  readonly version?: string | undefined;
}

/** A server that listens. */
export interface RunningServer {
  readonly baseUrl: string;
  readonly port: number;
  /** Null where the control API is off. */
  readonly controlUrl: string | null;
  readonly controlPort: number | null;
  readonly controlToken: string | null;
  readonly environment: Environment;
  readonly behaviour: Behaviour;
  /** Those that it was started with. */
  readonly partners: readonly ProfilePartner[];
  /** The server's own time, which the control API moves. */
  readonly clock: MovableClock;
  /** Stops listening; requests in flight end, at most for the grace, in milliseconds (5000). */
  close(graceMs?: number): Promise<void>;
}

const DEFAULT_GRACE_MS = 5_000;
const DEFAULT_HOST = '127.0.0.1';
/** The fast path counts characters for bytes. */
const ASCII = /^[\x21-\x7e]+$/;

/**
 * Starts the reference server; its state is in memory and ends with it.
 *
 * @throws ConfigurationError `PORT_IN_USE`, `PORT_NOT_PERMITTED`, `HOST_NOT_AVAILABLE`, `TLS_INVALID`,
 * `BEHAVIOUR_INVALID` or `EXPIRES_IN_INVALID`
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const host = options.host ?? DEFAULT_HOST;
  const partners = options.partners ?? DEMO_PARTNERS;
  const clock = new MovableClock(options.clock ?? wallClock);
  const service = makeService(options, clock);
  admitPartners(service, partners);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const listener = new HttpListener({
    handler: (request) => service.answer(request),
    errors: service.errors,
    clock,
    timeouts,
    tls: options.tls,
    accessLog: options.accessLog,
    interceptor: options.interceptor,
    readAhead: canBeFast(service, options)
      ? (handOver) =>
          new FastConnections({
            path: new FastPath(service.fastPathState),
            handOver,
            ...timeouts,
            sharedReadBuffer: options.sharedReadBuffer ?? true,
          })
      : undefined,
  });
  await listener.listen(options.port ?? 0, host);
  const controlToken = options.controlToken ?? null;
  const control = options.controlPort === undefined ? null : makeControl();
  try {
    await control?.listen(options.controlPort ?? 0, controlToken === null ? DEFAULT_HOST : host);
  } catch (error) {
    await listener.close(0);
    throw error;
  }
  let closing: Promise<unknown> | null = null;
  return {
    baseUrl: listener.baseUrl,
    port: listener.port,
    controlUrl: control?.baseUrl ?? null,
    controlPort: control?.port ?? null,
    controlToken,
    environment: service.settings.environment,
    behaviour: service.settings.behaviour,
    partners,
    clock,
    close: async (graceMs = DEFAULT_GRACE_MS) => {
      closing ??= Promise.all([listener.close(graceMs), control?.close(graceMs)]);
      await closing;
    },
  };

  function makeControl(): HttpListener {
    const api = new ControlApi(service, clock, controlToken);
    return new HttpListener({
      handler: (request) => api.answer(request),
      errors: CONTROL_ERRORS,
      clock,
      timeouts,
    });
  }
}

/**
 * Whether estimates may be answered ahead of the HTTP parser: the fast path knows the documented
 * rules, unbroken, and the defaults of the gaps that concern estimates; and it keeps no log.
 */
function canBeFast({ settings }: Service, options: ServerOptions): boolean {
  const { behaviour } = settings;
  return (
    (options.fastPath ?? true) &&
    (options.faults ?? []).length === 0 &&
    options.accessLog === undefined &&
    options.interceptor === undefined &&
    behaviour['ban-reach'] !== 'everything' &&
    behaviour['estimate-rate-limit'] === 'none' &&
    behaviour['estimate-content-type-required'] === 'no' &&
    behaviour['signed-fields-estimate'] === 'all' &&
    behaviour['estimate-signed-decoded-or-encoded'] === 'decoded' &&
    behaviour['text-zero-signed'] === 'kept' &&
    behaviour['pay-type-codes'].every((code) => ASCII.test(code))
  );
}

function makeService(options: ServerOptions, clock: Clock): Service {
  const expiresInSeconds = options.expiresInSeconds ?? 7200;
  if (!Number.isSafeInteger(expiresInSeconds) || expiresInSeconds < 1) {
    throw new ConfigurationError(
      'EXPIRES_IN_INVALID',
      `A token cannot be valid for ${expiresInSeconds} seconds; give a whole number above 0.`,
    );
  }
  return new Service(
    {
      environment: options.environment ?? 'production',
      behaviour: readBehaviour(options.behaviour ?? {}),
      faults: switchFaults(options.faults ?? []),
      clock,
      random: options.random ?? cryptoRandom(),
      expiresInSeconds,
      seed: options.seed ?? 1,
    },
    options.version ?? '0.0.0',
  );
}

function readBehaviour(input: BehaviourInput): Behaviour {
  const parsed = behaviourSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ConfigurationError(
    'BEHAVIOUR_INVALID',
    `behaviour: ${issue?.path.join('.')}: ${issue?.message}; see the settings of that gap.`,
    { cause: parsed.error },
  );
}

/** A profile's own access_token is good here too, so that load can use it as it is. */
function admitPartners(service: Service, partners: readonly ProfilePartner[]): void {
  for (const { id, signingKey, use, authCodes, accessToken } of partners) {
    const partner = service.partners.add(id, signingKey, use === 'long-lock');
    for (const code of authCodes) service.authCodes.add(partner, code, userOf(partner));
    if (accessToken !== undefined) {
      service.tokens.admit(partner, accessToken, service.settings.clock.now());
    }
  }
}
