import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { KeyPair } from '@nats-io/nkeys';
import type { Authenticator, Msg, NatsConnection } from '@nats-io/transport-node';
import { ConfigurationError, FareproofError } from '../../../interface/errors.ts';
import { Deferred } from '../../deferred.ts';
import type { BrokerAddress } from './broker-address.ts';
import { loadNats, type NatsPackages } from './packages.ts';
import { Subjects } from './subjects.ts';

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
  /** Name of the agent; left out for a controller. */
  readonly agent?: string | undefined;
  /** Called when the connection is gone, and when it is back. */
  readonly onConnection?: ((isThere: boolean) => void) | undefined;
  /** Time for which an unreachable broker is tried again; default 10 s. */
  readonly patienceMs?: number | undefined;
  /** Ends that, and then the connecting. */
  readonly signal?: AbortSignal | undefined;
}

const RECONNECT_MS = 100;
const DIAL_TIMEOUT_MS = 2000;
const PATIENCE_MS = 10_000;
const CLOSE_TIMEOUT_MS = 500;
/** Time for an answer of the broker. */
const ANSWER_TIMEOUT_MS = 1000;
/** Time for an answer of a controller, which may have no core just then. */
const REPLY_TIMEOUT_MS = 5000;
/** Time for which the stream holds a message, and knows its id; more than any loss is noticed in. */
const MOST_AGE_MS = 60_000;
/** Time after which the broker drops a reader of the stream that is gone. */
const GONE_READER_MS = 5000;

/** Payload of the message by which a broker says that nobody has subscribed to a subject. */
const isNobody = (status: string | undefined, data: Uint8Array): boolean =>
  status === '503' && data.length === 0;

/** A connection to a NATS server, which is made again whenever it is lost. */
export class Broker {
  readonly subjects: Subjects;
  /** Number of times that the connection was made again. */
  reconnects = 0;
  isConnected = true;
  /** The most bytes of a message. */
  readonly payloadBytes: number;
  readonly #address: string;
  readonly #inbox: string;
  readonly #connection: NatsConnection;
  readonly #packages: NatsPackages;
  readonly #manager: JetStreamManager;
  readonly #stream: JetStreamClient;
  readonly #failed = new Deferred<never>();
  readonly #onReconnect = new Set<() => void>();
  readonly #unfinished = new Set<Promise<void>>();

  private constructor(
    connection: NatsConnection,
    manager: JetStreamManager,
    packages: NatsPackages,
    { address, agent, onConnection }: BrokerOptions,
  ) {
    this.subjects = new Subjects(address.group);
    this.#address = address.text;
    this.#inbox = this.subjects.inbox(agent);
    this.payloadBytes = connection.info?.max_payload ?? 0;
    this.#connection = connection;
    this.#packages = packages;
    this.#manager = manager;
    this.#stream = manager.jetstream();
    void this.#watch(onConnection);
    void connection.closed().then((error) => {
      this.#failed.reject(connectionError(error ?? new Error('closed'), address.text, packages));
    });
  }

  /**
   * Connects to a broker.
   *
   * @throws ConfigurationError `NATS_NOT_INSTALLED`, `NATS_CREDS_FORMAT`, `BROKER_REFUSED`
   * @throws FareproofError `BROKER_UNREACHABLE`, `INTERRUPTED`
   */
  static async connect(options: BrokerOptions): Promise<Broker> {
    const { address, credentials, agent, patienceMs = PATIENCE_MS, signal } = options;
    const packages = await loadNats();
    const { transport, jetstream } = packages;
    const authenticator = authenticatorOf(credentials, transport);
    const giveUpAtMs = performance.now() + patienceMs;
    for (;;) {
      try {
        const connection = await transport.connect({
          servers: address.server,
          name: agent ?? 'fareproof load',
          inboxPrefix: new Subjects(address.group).inbox(agent),
          timeout: DIAL_TIMEOUT_MS,
          maxReconnectAttempts: -1,
          reconnectTimeWait: RECONNECT_MS,
          reconnectJitter: RECONNECT_MS,
          reconnectJitterTLS: RECONNECT_MS,
          ...(authenticator && { authenticator }),
          ...(address.isSecure && { tls: {} }),
        });
        const api = { checkAPI: false, timeout: ANSWER_TIMEOUT_MS };
        const manager = await jetstream.jetstreamManager(connection, api);
        return new Broker(connection, manager, packages, options);
      } catch (error) {
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

  createKey(): KeyPair {
    return this.#packages.nkeys.createCurve();
  }

  /**
   * Opens the stream of the group, which the broker holds in its memory; and again after each reconnect,
   * since that memory may be gone.
   *
   * @throws FareproofError `BROKER_JETSTREAM`
   */
  async openStream(): Promise<void> {
    const { transport, jetstream } = this.#packages;
    const open = (): Promise<unknown> =>
      this.#manager.streams.add({
        name: this.subjects.stream,
        subjects: this.subjects.stored,
        storage: jetstream.StorageType.Memory,
        max_age: transport.nanos(MOST_AGE_MS),
        duplicate_window: transport.nanos(MOST_AGE_MS),
      });
    await Promise.race([open(), this.failed]).catch((error: Error) => {
      if (error instanceof FareproofError) throw error;
      throw new FareproofError(
        'BROKER_JETSTREAM',
        `${this.#address} opens no stream (${error.message}); start nats-server with -js.`,
        { cause: error },
      );
    });
    this.onReconnect(() => void this.#untilDone(open));
  }

  /** Stores a message in the stream, which drops one whose id it knows; resolves once it has it. */
  store(subject: string, bytes: Uint8Array, msgID: string): Promise<void> {
    const options = { msgID, timeout: ANSWER_TIMEOUT_MS };
    return this.#untilDone(() => this.#stream.publish(subject, bytes, options));
  }

  /**
   * Reads what the stream holds of a subject from its beginning, and what is added; after each reconnect
   * from its beginning again. Returns a function that ends that.
   */
  read(subject: string, onMessage: (bytes: Uint8Array) => void): () => void {
    const { transport, jetstream } = this.#packages;
    let unsubscribe = (): void => undefined;
    const open = (): void => {
      unsubscribe();
      const inbox = transport.createInbox(this.#inbox);
      unsubscribe = this.subscribe(inbox, ({ data }) => onMessage(data));
      const consumer = {
        name: inbox.split('.').at(-1)!,
        deliver_subject: inbox,
        filter_subject: subject,
        ack_policy: jetstream.AckPolicy.None,
        deliver_policy: jetstream.DeliverPolicy.All,
        inactive_threshold: transport.nanos(GONE_READER_MS),
      };
      void this.#untilDone(() => this.#manager.consumers.add(this.subjects.stream, consumer));
    };
    const forget = this.onReconnect(open);
    open();
    return () => {
      forget();
      unsubscribe();
    };
  }

  /** Asks on a subject; null if nobody answers. */
  async request(subject: string, bytes: Uint8Array): Promise<Uint8Array | null> {
    try {
      return (await this.#connection.request(subject, bytes, { timeout: REPLY_TIMEOUT_MS })).data;
    } catch {
      return null;
    }
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
    onMessage: (message: Msg) => void,
    { queue, onNobody }: { readonly queue?: string; readonly onNobody?: () => void } = {},
  ): () => void {
    const subscription = this.#connection.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (error, message) => {
        if (error) return;
        try {
          if (isNobody(message.headers?.status, message.data)) onNobody?.();
          else onMessage(message);
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

  /** Calls a function after each reconnect; returns what ends that. */
  onReconnect(act: () => void): () => void {
    this.#onReconnect.add(act);
    return () => void this.#onReconnect.delete(act);
  }

  /** Has {@link close} wait for this, half a second at most. */
  finishBeforeClose(work: Promise<void>): void {
    this.#unfinished.add(work);
    void work.then(() => this.#unfinished.delete(work));
  }

  /** Sends what was published, and closes the connection. */
  async close(): Promise<void> {
    const finished = Promise.all([...this.#unfinished, this.#connection.flush()]);
    const timeout = sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false });
    await Promise.race([finished.catch(() => undefined), timeout]);
    await this.#connection.close();
  }

  /** Repeats what the broker does not do yet, since it has just started, say. */
  async #untilDone(act: () => Promise<unknown>): Promise<void> {
    while (!this.#connection.isClosed()) {
      try {
        await act();
        return;
      } catch {
        await sleep(RECONNECT_MS);
      }
    }
  }

  async #watch(onConnection: BrokerOptions['onConnection'] = () => undefined): Promise<void> {
    const { PermissionViolationError } = this.#packages.transport.errors;
    for await (const status of this.#connection.status()) {
      if (status.type === 'disconnect') {
        this.isConnected = false;
        onConnection(false);
      }
      if (status.type === 'reconnect') {
        this.isConnected = true;
        this.reconnects++;
        for (const act of this.#onReconnect) act();
        onConnection(true);
      }
      if (status.type === 'error' && status.error instanceof PermissionViolationError) {
        const { operation, subject } = status.error;
        const act = operation === 'publish' ? 'publishing on' : 'subscribing to';
        const message = `${this.#address} does not permit ${act} ${subject}.`;
        this.#failed.reject(new FareproofError('BROKER_PERMISSION', message));
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
