import { hash, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import {
  authCodeRequestSchema,
  clockAdvanceSchema,
  clockResetSchema,
  type EstimateLock,
  partnerRequestSchema,
} from '../../interface/index.ts';
import { LATEST_MS, type MovableClock } from './clock.ts';
import { NestingError, parseJsonBody } from './json-body.ts';
import { type Answer, CONTROL_ERRORS, jsonAnswer, type ServiceRequest } from './messages.ts';
import type { RandomSource } from './random.ts';
import type { ServiceState } from './service-state.ts';

const ESTIMATES = '/estimates/';

/** A control request is refused. */
class ControlError extends Error {
  readonly answer: Answer;

  constructor(status: number, code: string, message: string, field?: string) {
    super(message);
    this.answer = CONTROL_ERRORS.answer(status, { code, message, ...(field && { field }) });
  }
}

/** Options of the control API. */
export interface ControlOptions {
  /** The state of the service that it controls. */
  readonly state: ServiceState;
  readonly clock: MovableClock;
  readonly random: RandomSource;
  /** Token that every request must bring. */
  readonly token: string;
}

/** Moves the clock, adds partners and auth codes, and reads locks (docs/reference.md). */
export class ControlApi {
  readonly #options: ControlOptions;
  readonly #posted = new Map<string, (request: ServiceRequest) => Answer>([
    ['/clock', (request) => this.#moveClock(request)],
    ['/partners', (request) => this.#addPartner(request)],
    ['/auth-codes', (request) => this.#addAuthCode(request)],
  ]);

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  answer(request: ServiceRequest): Answer {
    try {
      this.#authorize(request.authorization);
      return this.#route(request);
    } catch (error) {
      if (error instanceof ControlError) return error.answer;
      throw error;
    }
  }

  #authorize(header: string | undefined): void {
    const token = /^bearer +(.+)$/i.exec(header ?? '')?.[1] ?? '';
    // Digests have one length, as the comparison in constant time requires.
    const digestOf = (text: string) => hash('sha256', text, 'buffer');
    if (timingSafeEqual(digestOf(token), digestOf(this.#options.token))) return;
    throw new ControlError(401, 'unauthorized', 'Send Authorization: Bearer <control token>.');
  }

  #route(request: ServiceRequest): Answer {
    const { method, path } = request;
    if (method === 'GET' && path.startsWith(ESTIMATES)) {
      return this.#readEstimate(path.slice(ESTIMATES.length));
    }
    const posted = this.#posted.get(path);
    if (posted && method === 'POST') return posted(request);
    if (!posted && !path.startsWith(ESTIMATES)) {
      throw new ControlError(404, 'path-unknown', 'Nothing is on this path.');
    }
    const allow = posted ? 'POST' : 'GET';
    const message = `This path is served with ${allow} only.`;
    return { ...CONTROL_ERRORS.answer(405, { code: 'method-not-allowed', message }), allow };
  }

  #moveClock(request: ServiceRequest): Answer {
    const { clock } = this.#options;
    const body = readBody(request);
    if (typeof body === 'object' && body !== null && 'reset' in body) {
      validate(clockResetSchema, body);
      clock.reset();
    } else {
      const { advanceSeconds } = validate(clockAdvanceSchema, body);
      if (!clock.canAdvance(advanceSeconds)) {
        const message = `The clock goes no further than ${isoOf(LATEST_MS)}; set it back with {"reset": true}.`;
        throw new ControlError(400, 'clock-too-far', message, 'advanceSeconds');
      }
      clock.advance(advanceSeconds);
    }
    return jsonAnswer(200, { now: isoOf(clock.now()) });
  }

  #addPartner(request: ServiceRequest): Answer {
    const { longLock } = validate(partnerRequestSchema, readBody(request));
    const { state, random } = this.#options;
    const { id, signingKey } = state.partners.addFresh(longLock ?? false, random);
    return jsonAnswer(201, { partnerId: id, signingKey });
  }

  #addAuthCode(request: ServiceRequest): Answer {
    const { partnerId, userId } = validate(authCodeRequestSchema, readBody(request));
    const { state, random } = this.#options;
    const partner = state.partners.find(partnerId);
    if (partner === undefined) {
      throw new ControlError(404, 'partner-unknown', 'No partner has this id.', 'partnerId');
    }
    return jsonAnswer(201, { authCode: state.authCodes.addFresh(partner, userId, random) });
  }

  #readEstimate(estimateId: string): Answer {
    const { state, clock } = this.#options;
    const estimate = state.estimateIds.read(estimateId, state.partners);
    if (estimate === null) {
      throw new ControlError(404, 'estimate-unknown', 'This server issued no such estimate_id.');
    }
    const lock: EstimateLock = {
      estimateId,
      partnerId: estimate.partner.id,
      estimatePrice: estimate.priceFen,
      lockedUntil: isoOf(estimate.lockedUntilMs),
      locked: clock.now() < estimate.lockedUntilMs,
    };
    return jsonAnswer(200, lock);
  }
}

/**
 * Parses a body; an empty one means `{}`. Its Content-Type is one that a web page cannot send to
 * another origin without asking.
 */
function readBody({ body, contentType = '' }: ServiceRequest): unknown {
  if (body.length > 0 && !/^application\/json\s*(;|$)/i.test(contentType)) {
    const message = 'Send the body with Content-Type: application/json.';
    throw new ControlError(415, 'content-type-unsupported', message);
  }
  try {
    return body.length > 0 ? parseJsonBody(body) : {};
  } catch (error) {
    const message =
      error instanceof NestingError ? error.message : 'The body is not JSON in UTF-8.';
    throw new ControlError(400, 'body-invalid', message);
  }
}

function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.');
  throw new ControlError(400, 'body-invalid', issue?.message ?? 'The body is invalid.', field);
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
