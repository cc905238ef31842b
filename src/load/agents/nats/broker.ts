import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyPair } from '@nats-io/nkeys';
import type { Authenticator, NatsConnection, Subscription } from '@nats-io/transport-node';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import { Deferred } from '../deferred.ts';
import type { BrokerAddress } from './broker-address.ts';
import { loadNats, type NatsPackages } from './packages.ts';

/** Credentials for a broker; empty for one that asks for none. */
export interface BrokerCredentials {
  readonly token?: string | undefined;
  /** Text of a credentials file of NATS (a JWT and its seed), or of a file with the seed of an nkey. */
  readonly creds?: string | undefined;
}

/** A broker to connect to. */
export interface BrokerOptions {
  readonly address: BrokerAddress;
  readonly credentials: BrokerCredentials;
  /** Name of the connection, which the broker's monitoring shows. */
  readonly name: string;
  /** Called when the connection is gone, and when it is back. */
  readonly onConnection?: ((isThere: boolean) => void) | undefined;
  /** Time for which an unreachable broker is tried again; default 10 s. */
  readonly patienceMs?: number | undefined;
  /** Ends that, and then the connecting. */
  readonly signal?: AbortSignal | undefined;
}

/** Smallest `max_payload` of a broker: what a join takes. */
const LEAST_PAYLOAD_BYTES = 1024;
const RECONNECT_MS = 100;
const DIAL_TIMEOUT_MS = 2000;
const PATIENCE_MS = 10_000;
const CLOSE_TIMEOUT_MS = 500;

/** Payload of the message by which a broker says that nobody has subscribed to a subject. */
const isNobody = (status: string | undefined, data: Uint8Array): boolean =>
  status === '503' && data.length === 0;

/** A connection to a NATS server, which is made again whenever it is lost. */
export class Broker {
  /** Number of times that the connection was made again. */
  reconnects = 0;
  readonly #connection: NatsConnection;
  readonly #packages: NatsPackages;
  readonly #failed = new Deferred<never>();

  private constructor(
    connection: NatsConnection,
    packages: NatsPackages,
    { address: { text: address }, onConnection }: BrokerOptions,
  ) {
    this.#connection = connection;
    this.#packages = packages;
    void this.#watch(address, onConnection);
    void connection.closed().then((error) => {
      this.#failed.reject(connectionError(error ?? new Error('closed'), address, packages));
    });
  }

  /**
   * Connects to a broker.
   *
   * @throws ConfigurationError `NATS_NOT_INSTALLED`, `NATS_CREDS_FORMAT`, `BROKER_REFUSED`
   * @throws FareproofError `BROKER_UNREACHABLE`, `BROKER_PAYLOAD`, `INTERRUPTED`
   */
  static async connect(options: BrokerOptions): Promise<Broker> {
    const { address, credentials, name, patienceMs = PATIENCE_MS, signal } = options;
    const packages = await loadNats();
    const { transport } = packages;
    const authenticator = authenticatorOf(credentials, transport);
    const giveUpAtMs = performance.now() + patienceMs;
    for (;;) {
      try {
        const connection = await transport.connect({
          servers: address.server,
          name,
          timeout: DIAL_TIMEOUT_MS,
          maxReconnectAttempts: -1,
          reconnectTimeWait: RECONNECT_MS,
          reconnectJitter: RECONNECT_MS,
          reconnectJitterTLS: RECONNECT_MS,
          ...(authenticator && { authenticator }),
          ...(address.isSecure && { tls: {} }),
        });
        const broker = new Broker(connection, packages, options);
        if (broker.payloadBytes >= LEAST_PAYLOAD_BYTES) return broker;
        await broker.close();
        throw new FareproofError(
          'BROKER_PAYLOAD',
          `${address.text} takes messages of ${broker.payloadBytes} bytes; set its max_payload to ${LEAST_PAYLOAD_BYTES} or more.`,
        );
      } catch (error) {
        if (error instanceof FareproofError) throw error;
        const { AuthorizationError } = transport.errors;
        if (error instanceof AuthorizationError || performance.now() > giveUpAtMs) {
          throw connectionError(error as Error, address.text, packages);
        }
        if (signal?.aborted)
          throw new FareproofError('INTERRUPTED', `interrupted before ${address.text} was reached`);
        await sleep(RECONNECT_MS);
      }
    }
  }

  /**
   * Rejects when nothing can be had of the broker any more: it denied a subject (`BROKER_PERMISSION`),
   * or took the credentials no more (`BROKER_REFUSED`). Never resolves.
   */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  /** The most bytes of a message. */
  get payloadBytes(): number {
    return this.#connection.info?.max_payload ?? 0;
  }

  createKey(): KeyPair {
    return this.#packages.nkeys.createCurve();
  }

  /**
   * Subscribes to a subject; returns a function that ends that.
   *
   * @param queue of the subscribers with the same one, only one gets a message
   * @param onNobody called when nobody has subscribed to a subject on which was published with this
   *   one as `reply`
   */
  subscribe(
    subject: string,
    onMessage: (bytes: Uint8Array, subject: string) => void,
    { queue, onNobody }: { readonly queue?: string; readonly onNobody?: () => void } = {},
  ): () => void {
    const subscription: Subscription = this.#connection.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (error, message) => {
        if (error) return;
        try {
          if (isNobody(message.headers?.status, message.data)) onNobody?.();
          else onMessage(message.data, message.subject);
        } catch (bug) {
          // The client would print it, and read nothing any more.
          queueMicrotask(() => {
            throw bug;
          });
        }
      },
    });
    return () => subscription.unsubscribe();
  }

  /** Publishes a message, which is lost if there is no connection at this moment. */
  publish(subject: string, bytes: Uint8Array, reply?: string): void {
    if (this.#connection.isClosed()) return;
    this.#connection.publish(subject, bytes, reply === undefined ? {} : { reply });
  }

  /** Sends what was published, and closes the connection. */
  async close(): Promise<void> {
    const flushed = this.#connection.flush().catch(() => undefined);
    await Promise.race([flushed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    await this.#connection.close();
  }

  async #watch(
    address: string,
    onConnection: BrokerOptions['onConnection'] = () => undefined,
  ): Promise<void> {
    const { PermissionViolationError } = this.#packages.transport.errors;
    for await (const status of this.#connection.status()) {
      if (status.type === 'disconnect') onConnection(false);
      if (status.type === 'reconnect') {
        this.reconnects++;
        onConnection(true);
      }
      if (status.type === 'error' && status.error instanceof PermissionViolationError) {
        const { operation, subject } = status.error;
        const act = operation === 'publish' ? 'publishing on' : 'subscribing to';
        this.#failed.reject(
          new FareproofError('BROKER_PERMISSION', `${address} does not permit ${act} ${subject}.`),
        );
      }
    }
  }
}

function authenticatorOf(
  { token, creds }: BrokerCredentials,
  { credsAuthenticator, nkeyAuthenticator }: NatsPackages['transport'],
): Authenticator | null {
  if (creds !== undefined) {
    if (creds.includes('BEGIN NATS USER JWT')) return credsAuthenticator(Buffer.from(creds));
    const seed = /^SU[A-Z2-7]{56}$/m.exec(creds)?.[0];
    if (seed !== undefined) return nkeyAuthenticator(Buffer.from(seed));
    throw new ConfigurationError(
      'NATS_CREDS_FORMAT',
      'FAREPROOF_NATS_CREDS: the file has neither the credentials of a NATS user nor the seed of an nkey (SU…).',
    );
  }
  return token === undefined ? null : () => ({ auth_token: token });
}

function connectionError(
  error: Error,
  address: string,
  { transport }: NatsPackages,
): FareproofError {
  const { AuthorizationError, UserAuthenticationExpiredError } = transport.errors;
  if (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError) {
    return new ConfigurationError(
      'BROKER_REFUSED',
      `${address} refused the credentials; check FAREPROOF_JOIN_TOKEN or FAREPROOF_NATS_CREDS.`,
      { cause: error },
    );
  }
  return new FareproofError(
    'BROKER_UNREACHABLE',
    `${address} cannot be reached (${error.message}); check that nats-server runs there, and the address.`,
    { cause: error },
  );
}
