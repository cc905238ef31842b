import { ConfigurationError } from '../../interface/index.ts';
import { type CreatedService, createService } from '../create-service.ts';
import { type Replacements, replaceWith } from '../faults/parts.ts';
import { RequestInHand } from '../faults/request-in-hand.ts';
import type { AccessLogEntry } from '../http/requests.ts';
import { MovableClock } from '../service/clock.ts';
import { ESTIMATE_LOCKS, EstimateIds, type EstimateKey } from '../service/estimate/estimate-ids.ts';
import { type Answer, Refusal, type ServiceRequest } from '../service/messages.ts';
import { cryptoRandom } from '../service/random.ts';
import type { Settings } from '../service/settings.ts';
import { createListener, type ServiceListener } from '../service-listener.ts';
import type { Change, FromWorker, ToWorker, WorkerSettings } from './messages.ts';

/**
 * The server of a worker. It answers estimates from a copy of the owner's partners and access tokens.
 * Everything else goes to the owner, as do estimates that it would refuse: so each refusal is made,
 * explained and worded in one place.
 */
export class WorkerServer {
  readonly #send: (message: FromWorker) => void;
  /** Ends this process. */
  readonly #exit: () => void;
  readonly #clock = new MovableClock();
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;
  #settings: WorkerSettings | null = null;
  #created: CreatedService | null = null;
  #createListener: (() => ServiceListener) | null = null;
  #serving: ServiceListener | null = null;

  constructor(send: (message: FromWorker) => void, exit: () => void) {
    this.#send = send;
    this.#exit = exit;
  }

  /** Handles a message of the owner. */
  take(message: ToWorker): void {
    switch (message.kind) {
      case 'start':
        this.#start(message.settings, message.key);
        break;
      case 'changes':
        for (const change of message.changes) this.#apply(change);
        this.#acknowledge();
        break;
      case 'listen':
        void this.#listen();
        break;
      case 'answer':
        this.#waiting.get(message.id)?.(message.answer);
        this.#waiting.delete(message.id);
        break;
      case 'close':
        void this.#close(message.graceMs);
    }
  }

  #acknowledge(): void {
    const fastPathAnswers = this.#serving?.fastPathAnswers() ?? 0;
    this.#send({ kind: 'acknowledged', fastPathAnswers });
  }

  #start(settings: WorkerSettings, key: EstimateKey): void {
    const own: Settings = {
      ...settings,
      clock: this.#clock,
      random: cryptoRandom(),
      explainSignature: undefined,
    };
    const ids = new EstimateIds(own.random, ESTIMATE_LOCKS, key);
    const replacements: Replacements = {
      estimateIds: () => ids,
      answerToken: () => (request) => this.#forward(request),
      answerEstimate: (answer) => (request) => this.#answerOrForward(request, answer),
    };
    const replace = replaceWith([replacements], new RequestInHand());
    const created = createService(own, settings.version, replace);
    this.#settings = settings;
    this.#created = created;
    this.#createListener = () => {
      const log = (entry: AccessLogEntry): void => this.#send({ kind: 'logged', entry });
      return createListener(created, {
        ...settings,
        settings: own,
        replace,
        handler: (request) => created.service.answer(request),
        accessLog: settings.isLogged ? log : undefined,
        counter: settings.isCounted && !settings.isLogged ? log : undefined,
        onBroken: (status) => this.#send({ kind: 'broken', status }),
      });
    };
  }

  /** A refusal is left to the owner. */
  #answerOrForward(
    request: ServiceRequest,
    answer: (request: ServiceRequest) => Answer | Promise<Answer>,
  ): Answer | Promise<Answer> {
    try {
      return answer(request);
    } catch (error) {
      if (error instanceof Refusal) return this.#forward(request);
      throw error;
    }
  }

  #forward(request: ServiceRequest): Promise<Answer> {
    const id = ++this.#lastId;
    this.#send({ kind: 'request', id, request });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  #apply(change: Change): void {
    const { tokens, partners } = this.#stateOf();
    switch (change.kind) {
      case 'admitted': {
        const partner = partners.at(change.grant.partnerIndex);
        if (partner !== undefined) tokens.copy(change.grant, partner, this.#clock.now());
        break;
      }
      case 'superseded':
        tokens.supersede(change.accessToken);
        break;
      case 'partner':
        partners.add(change.id, change.signingKey, change.longLock);
        break;
      case 'clock':
        this.#clock.follow(change.offsetMs);
    }
  }

  #stateOf(): CreatedService['state'] {
    if (this.#created === null) throw new Error('a worker gets no change before its start');
    return this.#created.state;
  }

  async #listen(): Promise<void> {
    if (this.#settings === null || this.#createListener === null) return;
    const { port, host } = this.#settings;
    try {
      this.#serving = this.#createListener();
      const { listener } = this.#serving;
      await listener.listen(port, host);
      this.#send({ kind: 'ready' });
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof ConfigurationError)) throw error;
    this.#send({ kind: 'failed', code: error.code, message: error.message });
  }

  async #close(graceMs: number): Promise<void> {
    await this.#serving?.listener.close(graceMs);
    this.#exit();
  }
}
