import type { StimulusKind } from '../../../documents/parsed-request.ts';
import type { SeededRandom } from '../../seeded-random.ts';
import {
  ExchangeCapture,
  type ExchangeContext,
  type MachineWatch,
} from '../evidence/exchange-capture.ts';
import { originForm, parseBody, parseRequest } from '../parsing/request.ts';
import type { CapturedAnswer, CapturedExchange, CapturedRequest } from '../traffic/captured.ts';
import {
  asCarpool,
  changeJson,
  eachRecord,
  refusalBody,
  withUnknownFields,
} from './answer-changes.ts';
import { kindOfStimulus, type Scenario, type Stimulus } from './scenario.ts';

/** An answer, and how it is sent. */
export interface InjectedAnswer extends CapturedAnswer {
  /** Delay before the first byte, ms. */
  readonly delayMs?: number | undefined;
  /** True to break the connection in the middle of the body. */
  readonly cut?: boolean | undefined;
}

/** A scenario, and the means to carry out its stimuli. */
export interface Script {
  readonly scenario: Pick<Scenario, 'name' | 'stimuli' | 'refreshTakesMs'>;
  /** Attempt of the scenario, from 1. */
  readonly attempt: number;
  readonly source: SeededRandom;
  /** The auth code that the scenario itself uses to issue a token. */
  readonly reservedCode: string;
  /** Address of another origin, which redirects name. */
  readonly otherOrigin: string;
  /** Issues a newer token for the client's user. */
  readonly issueElsewhere: () => Promise<void>;
}

/** Captures the traffic of the reference server and injects the stimuli of a scenario. */
export class FaultInjector extends ExchangeCapture {
  readonly #script: Script;
  /** The first request that each stimulus was given to, by index. */
  readonly #given = new Map<number, CapturedRequest>();
  readonly #stimuliOf = new WeakMap<CapturedRequest, StimulusKind[]>();
  readonly #counts = { token: 0, refresh: 0, estimate: 0 };

  /** @param pass called with each finished exchange */
  constructor(script: Script, pass: (captured: CapturedExchange) => void, watch?: MachineWatch) {
    super(pass, watch);
    this.#script = script;
  }

  /** The first request that a stimulus was given to; undefined if it was never triggered. */
  givenTo(index: number): CapturedRequest | undefined {
    return this.#given.get(index);
  }

  /** Returns an answer in place of the service's; null to let the service answer. */
  override respond(request: CapturedRequest): InjectedAnswer | null {
    super.respond(request);
    const triggers = this.#triggersOf(request);
    for (const trigger of triggers) this.#counts[trigger]++;
    const [index, stimulus] = this.#pending(request, true);
    if (stimulus === undefined || !('answer' in stimulus.do)) return null;
    this.#record(request, index, stimulus);
    const { status, carrying, forMs = 0, retryAfter, redirects } = stimulus.do.answer;
    const { source, otherOrigin } = this.#script;
    const body = refusalBody(status, carrying, source);
    const headers = {
      ...(body !== '' && JSON_UTF8),
      ...(retryAfter && { 'Retry-After': String(Math.ceil(forMs / 1000)) }),
      ...(redirects && { Location: otherOrigin + originForm(request.target) }),
    };
    return { status, headers, body };
  }

  /** Returns the service's answer, changed by a stimulus where one is due. */
  async rewrite(request: CapturedRequest, answer: CapturedAnswer): Promise<InjectedAnswer> {
    if (answer.status !== 200) return answer;
    const triggers = this.#triggersOf(request);
    const [index, stimulus] = this.#pending(request, false);
    const changed = stimulus && (await this.#change(stimulus, answer));
    if (changed) {
      this.#record(request, index, stimulus);
      return changed;
    }
    const { refreshTakesMs } = this.#script.scenario;
    return triggers.includes('refresh') ? { ...answer, delayMs: refreshTakesMs } : answer;
  }

  protected override contextOf(request: CapturedRequest): ExchangeContext {
    const { scenario, attempt } = this.#script;
    return {
      scenario: scenario.name,
      ...(attempt > 1 && { attempt }),
      sender: this.#isElsewhere(request) ? 'elsewhere' : 'client',
      stimuli: this.#stimuliOf.get(request) ?? [],
    };
  }

  async #change({ do: action }: Stimulus, answer: CapturedAnswer): Promise<InjectedAnswer | null> {
    if ('brokenJson' in action) {
      return { ...answer, body: answer.body.slice(0, Math.ceil(answer.body.length * 0.6)) };
    }
    if ('delayMs' in action) return { ...answer, delayMs: action.delayMs };
    if ('cut' in action) return { ...answer, cut: true };
    if ('issueElsewhere' in action) {
      await this.#script.issueElsewhere();
      return answer;
    }
    const carpool = 'carpool' in action ? action.carpool : undefined;
    const body = changeJson(answer.body, (value) => {
      const changed = carpool ? eachRecord(value, (one) => asCarpool(one, carpool)) : value;
      return 'unknownFields' in action ? withUnknownFields(changed) : changed;
    });
    return body === null ? null : { ...answer, body };
  }

  /** The first stimulus that is due, with its index: one that answers in place of the service, or another. */
  #pending(request: CapturedRequest, answers: boolean): readonly [number, Stimulus | undefined] {
    const { stimuli } = this.#script.scenario;
    const triggers = this.#triggersOf(request);
    const isDue = ({ always, do: action }: Stimulus, at: number): boolean => {
      const first = this.#given.get(at);
      const forMs = ('answer' in action && action.answer.forMs) || 0;
      return always || first === undefined || request.receivedMs < first.receivedMs + forMs;
    };
    const index = stimuli.findIndex(
      (stimulus, at) =>
        triggers.includes(stimulus.on) &&
        'answer' in stimulus.do === answers &&
        stimulus.nth <= this.#counts[stimulus.on] &&
        isDue(stimulus, at),
    );
    return [index, stimuli[index]];
  }

  #record(request: CapturedRequest, index: number, stimulus: Stimulus): void {
    if (!this.#given.has(index)) this.#given.set(index, request);
    const others = this.#stimuliOf.get(request) ?? [];
    this.#stimuliOf.set(request, [...others, kindOfStimulus(stimulus)]);
  }

  #triggersOf(request: CapturedRequest): Stimulus['on'][] {
    if (this.#isElsewhere(request)) return [];
    const { kind, body } = parseRequest(request);
    if (kind === 'estimate') return ['estimate'];
    if (kind !== 'token') return [];
    return body.fields['grant_type'] === 'refresh_token' ? ['token', 'refresh'] : ['token'];
  }

  #isElsewhere(request: CapturedRequest): boolean {
    const { body } = request;
    return body.length > 0 && parseBody(body).fields['auth_code'] === this.#script.reservedCode;
  }
}

const JSON_UTF8 = { 'Content-Type': 'application/json; charset=utf-8' };
