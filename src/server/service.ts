import { describeOpenApi, ESTIMATES_PATH, TOKEN_PATH } from '../interface/index.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import type { EstimateRequest } from './estimate/estimate-endpoint.ts';
import { HEALTH_PATH, METHOD_OF_PATH, OPENAPI_PATH } from './paths.ts';
import { type ErrorWriter, Refusal } from './refusal.ts';
import type { ServiceRequest } from './request.ts';
import type { TokenRequest } from './token/token-endpoint.ts';

/** The endpoints of a service, and what all of them share. */
export interface ServiceOptions {
  readonly answerToken: (request: TokenRequest) => Answer | Promise<Answer>;
  readonly answerEstimate: (request: EstimateRequest) => Answer;
  /** Maps the path of a request to the path that is served. */
  readonly servedPath: (path: string) => string;
  readonly errors: ErrorWriter;
  /** Version of this product, for the OpenAPI description. */
  readonly version: string;
}

/** The service without its transport: routes each request to its endpoint and writes refusals. */
export class Service {
  readonly #options: ServiceOptions;

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  /** Answers a request; at once, unless the token endpoint is made to wait by a fault. */
  answer(request: ServiceRequest): Answer | Promise<Answer> {
    try {
      const answer = this.#route(request);
      return answer instanceof Promise
        ? answer.catch((error: unknown) => this.#answerRefused(error))
        : answer;
    } catch (error) {
      return this.#answerRefused(error);
    }
  }

  #route(request: ServiceRequest): Answer | Promise<Answer> {
    const { answerToken, answerEstimate, servedPath, version } = this.#options;
    const path = servedPath(request.path);
    const method = METHOD_OF_PATH.get(path);
    if (method === undefined) throw new Refusal('path-unknown', 'Nothing is served on this path.');
    const isHealthHead = path === HEALTH_PATH && request.method === 'HEAD';
    if (method !== request.method && !isHealthHead) return this.#answerOtherMethod(method);
    const { authorization, contentType } = request;
    switch (path) {
      case ESTIMATES_PATH:
        return answerEstimate({ authorization, contentType, rawQuery: request.rawQuery });
      case TOKEN_PATH:
        return answerToken({ authorization, contentType, body: request.body });
      case OPENAPI_PATH:
        return jsonAnswer(200, describeOpenApi(request.baseUrl, version));
      default:
        return jsonAnswer(200, { status: 'ok' });
    }
  }

  #answerOtherMethod(allow: string): Answer {
    const refusal = new Refusal('method-not-allowed', `This path is served with ${allow} only.`);
    return { ...this.#options.errors.answerTo(refusal), allow };
  }

  #answerRefused(error: unknown): Answer {
    if (error instanceof Refusal) return this.#options.errors.answerTo(error);
    throw error;
  }
}
