import { type Behaviour, ESTIMATES_PATH, TOKEN_PATH } from '../../interface/index.ts';
import {
  type Answer,
  type ErrorWriter,
  jsonAnswer,
  Refusal,
  type ServiceRequest,
} from './messages.ts';

/** Path of the health check. */
export const HEALTH_PATH = '/healthz';
/** Path of the OpenAPI description. */
export const OPENAPI_PATH = '/openapi.json';

/** The method of each endpoint of the interface, by its path. */
export const METHOD_OF_ENDPOINT: ReadonlyMap<string, string> = new Map([
  [TOKEN_PATH, 'POST'],
  [ESTIMATES_PATH, 'GET'],
]);

/** The method of each path that is served. */
export const METHOD_OF_PATH: ReadonlyMap<string, string> = new Map([
  ...METHOD_OF_ENDPOINT,
  [HEALTH_PATH, 'GET'],
  [OPENAPI_PATH, 'GET'],
]);

const ANY_VERSION = /^\/v[1-9]\d{0,3}(?=\/)/;

/** Maps the path of a request to the path that is served (gap `version-policy`). */
export function servedPathWith(behaviour: Behaviour): (path: string) => string {
  if (behaviour['version-policy'] !== 'any-version') return (path) => path;
  return (path) => path.replace(ANY_VERSION, '/v1');
}

/** The endpoints of a service, and what all of them share. */
export interface ServiceOptions {
  readonly answerToken: (request: ServiceRequest) => Answer | Promise<Answer>;
  readonly answerEstimate: (request: ServiceRequest) => Answer | Promise<Answer>;
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

  /** Answers a request; at once, unless a fault makes it wait, or another process has to answer. */
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
    const { answerToken, answerEstimate, servedPath, errors, version } = this.#options;
    const path = servedPath(request.path);
    const allow = METHOD_OF_PATH.get(path);
    if (allow === undefined) throw new Refusal('path-unknown', 'Nothing is served on this path.');
    const isHealthHead = path === HEALTH_PATH && request.method === 'HEAD';
    if (allow !== request.method && !isHealthHead) {
      const refusal = new Refusal('method-not-allowed', `This path is served with ${allow} only.`);
      return { ...errors.answerTo(refusal), allow };
    }
    switch (path) {
      case ESTIMATES_PATH:
        return answerEstimate(request);
      case TOKEN_PATH:
        return answerToken(request);
      case OPENAPI_PATH:
        return describe(request.baseUrl, version);
      default:
        return jsonAnswer(200, { status: 'ok' });
    }
  }

  #answerRefused(thrown: unknown): Answer | Promise<Answer> {
    if (!(thrown instanceof Refusal)) throw thrown;
    if (thrown.explained !== null) return this.#answerExplained(thrown.explained);
    return this.#options.errors.answerTo(thrown);
  }

  async #answerExplained(refusal: Promise<Refusal>): Promise<Answer> {
    return this.#options.errors.answerTo(await refusal);
  }
}

/** The OpenAPI description; in the package, what writes it is loaded with the first request for it. */
async function describe(baseUrl: string, version: string): Promise<Answer> {
  const { describeOpenApi } = await import('../../interface/index.ts');
  return jsonAnswer(200, describeOpenApi(baseUrl, version));
}
