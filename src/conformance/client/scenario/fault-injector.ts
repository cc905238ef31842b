import type { SeededRandom } from '../../seeded-random.ts';
import { parseJson } from '../parsing/body.ts';
import {
  type CapturedAnswer,
  type CapturedExchange,
  type CapturedRequest,
  salvageRequest,
} from '../traffic/captured.ts';
import type { StimulusKind } from '../traffic/parsed-request.ts';
import { asCarpool, changeRecords, refusalBody, withUnknownFields } from './answers.ts';
import { kindOfStimulus, type Scenario, type Stimulus } from './scenario.ts';

/** An answer, and how it goes out. */
export interface InjectedAnswer extends CapturedAnswer {
  readonly delayMs?: number | undefined;
  readonly cut?: boolean | undefined;
}

/** How an exchange ended. */
export interface EndedExchange {
  readonly request: CapturedRequest;
  readonly answer: CapturedAnswer;
  readonly finishedMs: number | null;
}

/** What a injector is made of. */
export interface FaultInjectorOptions {
  /** Null where a client is only listened to. */
  readonly script: Script | null;
  /** Told of each exchange once it is over. */
  readonly onExchange?: ((captured: CapturedExchange) => void) | undefined;
}

/** A scenario, and what it takes to carry it out. */
export interface Script {
  readonly scenario: Pick<Scenario, 'name' | 'stimuli'>;
  readonly source: SeededRandom;
  /** The auth code that the scenario itself spends, to issue a token elsewhere. */
  readonly reservedCode: string;
  /** Issues a newer token for the client's user. */
  readonly issueElsewhere: () => Promise<void>;
}

interface Part {
  readonly kinds: StimulusKind[];
  readonly indexes: number[];
}

/** Stands beside the reference server: witnesses every exchange and does what a scenario says. */
export class FaultInjector {
  /** Every exchange, in the order in which they ended. */
  readonly captured: CapturedExchange[] = [];
  readonly #options: FaultInjectorOptions;
  readonly #given = new Map<number, CapturedRequest>();
  readonly #parts = new WeakMap<CapturedRequest, Part>();
  readonly #counts = { token: 0, refresh: 0, estimate: 0 };

  constructor(options: FaultInjectorOptions) {
    this.#options = options;
  }

  /** The request to which a stimulus was given; undefined where the client never came to it. */
  givenTo(index: number): CapturedRequest | undefined {
    return this.#given.get(index);
  }

  /** An answer in place of the service's. */
  respond(request: CapturedRequest): InjectedAnswer | null {
    const sorts = this.#sortsOf(request);
    for (const sort of sorts) this.#counts[sort]++;
    const [index, stimulus] = this.#next(sorts, ({ do: act }) => 'answer' in act);
    const { script } = this.#options;
    if (script === null || stimulus === undefined || !('answer' in stimulus.do)) return null;
    this.#give(request, index, stimulus);
    const { status, carrying } = stimulus.do.answer;
    const body = refusalBody(status, carrying, script.source);
    return { status, headers: body === '' ? {} : JSON_UTF8, body };
  }

  /** What becomes of the service's answer. */
  async rewrite(request: CapturedRequest, answer: CapturedAnswer): Promise<InjectedAnswer> {
    if (answer.status !== 200) return answer;
    const sorts = this.#sortsOf(request);
    const [index, stimulus] = this.#next(sorts, ({ do: act }) => !('answer' in act));
    if (stimulus === undefined) return answer;
    const injected = await this.#apply(stimulus, answer);
    if (injected === null) return answer;
    this.#give(request, index, stimulus);
    return injected;
  }

  onExchange({ request, answer, finishedMs }: EndedExchange): void {
    this.#keep({
      scenario: this.#options.script?.scenario.name ?? null,
      sender: this.#isElsewhere(request) ? 'elsewhere' : 'client',
      request,
      answer,
      finishedMs,
      stimuli: this.#parts.get(request)?.kinds ?? [],
    });
  }

  /** Bytes that are no HTTP request are a request too, if a broken one. */
  onMalformed(bytes: Uint8Array, receivedMs: number): void {
    const request = salvageRequest(bytes, receivedMs);
    if (request === null) return;
    this.#keep({
      scenario: this.#options.script?.scenario.name ?? null,
      sender: 'client',
      request,
      answer: { status: 400, headers: {}, body: '' },
      finishedMs: receivedMs,
      stimuli: [],
      malformed: true,
    });
  }

  #keep(captured: CapturedExchange): void {
    this.captured.push(captured);
    this.#options.onExchange?.(captured);
  }

  async #apply({ do: act }: Stimulus, answer: CapturedAnswer): Promise<InjectedAnswer | null> {
    if ('brokenJson' in act) {
      return { ...answer, body: answer.body.slice(0, Math.ceil(answer.body.length * 0.6)) };
    }
    if ('delayMs' in act) return { ...answer, delayMs: act.delayMs };
    if ('cut' in act) return { ...answer, cut: true };
    if ('issueElsewhere' in act) {
      await this.#options.script?.issueElsewhere();
      return answer;
    }
    const change = (record: Record<string, unknown>): Record<string, unknown> => {
      if ('carpool' in act) return asCarpool(record, act.carpool.tag, act.carpool.as);
      return withUnknownFields(record);
    };
    const body = changeRecords(answer.body, change);
    return body === null ? null : { ...answer, body };
  }

  /** The first stimulus whose time has come. */
  #next(
    sorts: readonly Stimulus['on'][],
    fits: (stimulus: Stimulus) => boolean,
  ): readonly [number, Stimulus | undefined] {
    const stimuli = this.#options.script?.scenario.stimuli ?? [];
    const index = stimuli.findIndex(
      (stimulus, at) =>
        sorts.includes(stimulus.on) &&
        fits(stimulus) &&
        stimulus.nth <= this.#counts[stimulus.on] &&
        (stimulus.always || !this.#given.has(at)),
    );
    return [index, stimuli[index]];
  }

  #give(request: CapturedRequest, index: number, stimulus: Stimulus): void {
    if (!this.#given.has(index)) this.#given.set(index, request);
    const part = this.#parts.get(request) ?? { kinds: [], indexes: [] };
    part.kinds.push(kindOfStimulus(stimulus));
    part.indexes.push(index);
    this.#parts.set(request, part);
  }

  #sortsOf(request: CapturedRequest): Stimulus['on'][] {
    if (this.#isElsewhere(request)) return [];
    const path = request.target.split('?')[0] ?? '';
    if (path.endsWith('/estimates/prices')) return ['estimate'];
    if (!path.endsWith('/oauth/token')) return [];
    const isRefresh = fieldsOf(request)?.['grant_type'] === 'refresh_token';
    return isRefresh ? ['token', 'refresh'] : ['token'];
  }

  #isElsewhere(request: CapturedRequest): boolean {
    const { script } = this.#options;
    return script !== null && fieldsOf(request)?.['auth_code'] === script.reservedCode;
  }
}

const JSON_UTF8 = { 'Content-Type': 'application/json; charset=utf-8' };

const fieldsOf = ({ body }: CapturedRequest): Readonly<Record<string, unknown>> | null =>
  body.length === 0 ? null : parseJson(Buffer.from(body).toString('utf8'));
