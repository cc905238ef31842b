import { describeOpenApi, ESTIMATES_PATH, TOKEN_PATH } from '../interface/index.ts';
import type { Answer } from './answer.ts';
import { jsonAnswer } from './answer.ts';
import { EstimateEndpoint } from './estimate/estimate-endpoint.ts';
import { EstimateIds } from './estimate/estimate-ids.ts';
import { Pricing } from './estimate/pricing.ts';
import { RecordWriter } from './estimate/record.ts';
import type { FastPathState } from './fast-path/fast-path.ts';
import { ErrorWriter, Refusal } from './refusal.ts';
import type { ServiceRequest } from './request.ts';
import type { Settings } from './settings.ts';
import { SignatureCheck } from './signature-check.ts';
import { Allowances } from './state/allowances.ts';
import { AuthCodes } from './state/auth-codes.ts';
import { NostrLog } from './state/nostr-log.ts';
import { Partners } from './state/partners.ts';
import { Tokens } from './state/tokens.ts';
import { TokenEndpoint } from './token/token-endpoint.ts';

const HEALTH_PATH = '/healthz';
const OPENAPI_PATH = '/openapi.json';

const METHOD_OF_PATH: ReadonlyMap<string, string> = new Map([
  [TOKEN_PATH, 'POST'],
  [ESTIMATES_PATH, 'GET'],
  [HEALTH_PATH, 'GET'],
  [OPENAPI_PATH, 'GET'],
]);

const ANY_VERSION = /^\/v[1-9]\d{0,3}(?=\/)/;

/** The whole service without its transport: all state, and an answer for each request. */
export class Service {
  readonly settings: Settings;
  readonly partners: Partners = new Partners();
  readonly authCodes: AuthCodes = new AuthCodes();
  readonly tokens: Tokens;
  readonly estimateIds: EstimateIds;
  readonly pricing: Pricing;
  readonly records: RecordWriter;
  readonly errors: ErrorWriter;
  readonly #tokenEndpoint: TokenEndpoint;
  readonly #estimateEndpoint: EstimateEndpoint;
  readonly #version: string;

  constructor(settings: Settings, version: string) {
    this.settings = settings;
    this.tokens = new Tokens(settings);
    this.estimateIds = new EstimateIds(settings.random, settings.faults);
    this.pricing = new Pricing(settings.seed, settings.faults['estimate/departure-time-price']);
    this.records = new RecordWriter(settings.behaviour);
    this.errors = new ErrorWriter(settings.behaviour);
    this.#version = version;
    const state = {
      partners: this.partners,
      tokens: this.tokens,
      authCodes: this.authCodes,
      allowances: new Allowances(settings),
      nostrLog: new NostrLog(),
      signatureCheck: new SignatureCheck(settings),
      estimateIds: this.estimateIds,
      pricing: this.pricing,
      records: this.records,
    };
    this.#tokenEndpoint = new TokenEndpoint(settings, state);
    this.#estimateEndpoint = new EstimateEndpoint(settings, state);
  }

  /** What the fast path works on. */
  get fastPathState(): FastPathState {
    const { partners, tokens, estimateIds, pricing, records, settings } = this;
    return {
      clock: settings.clock,
      partners,
      tokens,
      estimateIds,
      pricing,
      records,
      takesUserTokensUnsigned: settings.behaviour['user-token-platform-header'] === 'accepted',
    };
  }

  /** The answer to a request; at once for an estimate. */
  answer(request: ServiceRequest): Answer | Promise<Answer> {
    try {
      return this.#route(request);
    } catch (error) {
      return this.#answerRefused(error);
    }
  }

  #route(request: ServiceRequest): Answer | Promise<Answer> {
    const path = this.#servedPath(request.path);
    const method = METHOD_OF_PATH.get(path);
    if (method === undefined) throw new Refusal('path-unknown', 'Nothing is served on this path.');
    const isHealthAsked = path === HEALTH_PATH && request.method === 'HEAD';
    if (method !== request.method && !isHealthAsked) return this.#answerOtherMethod(method);
    const { authorization, contentType } = request;
    switch (path) {
      case ESTIMATES_PATH: {
        const { rawQuery } = request;
        return this.#estimateEndpoint.answer({ authorization, contentType, rawQuery });
      }
      case TOKEN_PATH: {
        const { body } = request;
        return this.#tokenEndpoint
          .answer({ authorization, contentType, body })
          .catch((error: unknown) => this.#answerRefused(error));
      }
      case OPENAPI_PATH:
        return jsonAnswer(200, describeOpenApi(request.baseUrl, this.#version));
      default:
        return jsonAnswer(200, { status: 'ok' });
    }
  }

  /** Where a path leads: gap `version-policy`, and the fault `estimate/version-prefix`. */
  #servedPath(path: string): string {
    const { behaviour, faults } = this.settings;
    if (behaviour['version-policy'] === 'any-version') return path.replace(ANY_VERSION, '/v1');
    if (faults['estimate/version-prefix'] && METHOD_OF_PATH.has(`/v1${path}`)) return `/v1${path}`;
    return path;
  }

  #answerOtherMethod(allow: string): Answer {
    const refusal = new Refusal('method-not-allowed', `This path is served with ${allow} only.`);
    return { ...this.errors.answerTo(refusal), allow };
  }

  #answerRefused(error: unknown): Answer {
    if (error instanceof Refusal) return this.errors.answerTo(error);
    throw error;
  }
}
