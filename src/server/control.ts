import { hash, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import type { EstimateLock } from '../interface/index.ts';
import {
  authCodeRequestSchema,
  clockRequestSchema,
  DEFAULT_BEHAVIOUR,
  partnerRequestSchema,
} from '../interface/index.ts';
import type { Answer } from './answer.ts';
import { jsonAnswer } from './answer.ts';
import type { MovableClock } from './clock.ts';
import { ErrorWriter } from './refusal.ts';
import type { ServiceRequest } from './request.ts';
import type { Service } from './service.ts';

/** Errors of the control API; no gap of the interface reaches them. */
export const CONTROL_ERRORS: ErrorWriter = new ErrorWriter(DEFAULT_BEHAVIOUR);

const ESTIMATES = '/estimates/';

/** A control request is refused. */
class ControlError extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;

  constructor(status: number, code: string, message: string, field?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

/** What makes a day, a ban and a lock testable (README, "The reference server"). */
export class ControlApi {
  readonly #service: Service;
  readonly #clock: MovableClock;
  /** Null where the API is open to whoever reaches it. */
  readonly #token: string | null;

  constructor(service: Service, clock: MovableClock, token: string | null) {
    this.#service = service;
    this.#clock = clock;
    this.#token = token;
  }

  answer(request: ServiceRequest): Answer {
    try {
      this.#authorize(request.authorization);
      return this.#route(request);
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      const { status, code, message, field } = error;
      return CONTROL_ERRORS.answer(status, { code, message, ...(field && { field }) });
    }
  }

  #authorize(header: string | undefined): void {
    if (this.#token === null) return;
    const token = /^bearer +(.+)$/i.exec(header ?? '')?.[1] ?? '';
    // Digests are of one length, which is what the comparison in constant time needs.
    const [given, expected] = [token, this.#token].map((text) => hash('sha256', text, 'buffer'));
    if (given && expected && timingSafeEqual(given, expected)) return;
    throw new ControlError(401, 'unauthorized', 'Send Authorization: Bearer <control token>.');
  }

  #route(request: ServiceRequest): Answer {
    const { method, path } = request;
    if (method === 'GET' && path.startsWith(ESTIMATES)) {
      return this.#readEstimate(path.slice(ESTIMATES.length));
    }
    const posted = this.#posted(path);
    if (posted !== null && method === 'POST') return posted(request);
    const allow = path.startsWith(ESTIMATES) ? 'GET' : posted === null ? null : 'POST';
    if (allow === null) throw new ControlError(404, 'path-unknown', 'Nothing is on this path.');
    const message = `This path is served with ${allow} only.`;
    return { ...CONTROL_ERRORS.answer(405, { code: 'method-not-allowed', message }), allow };
  }

  #posted(path: string): ((request: ServiceRequest) => Answer) | null {
    switch (path) {
      case '/clock':
        return (request) => this.#moveClock(request);
      case '/partners':
        return (request) => this.#addPartner(request);
      case '/auth-codes':
        return (request) => this.#addAuthCode(request);
      default:
        return null;
    }
  }

  #moveClock(request: ServiceRequest): Answer {
    this.#clock.advance(parse(clockRequestSchema, request).advanceSeconds);
    return jsonAnswer(200, { now: isoOf(this.#clock.now()) });
  }

  #addPartner(request: ServiceRequest): Answer {
    const { longLock } = parse(partnerRequestSchema, request);
    const { partners, settings } = this.#service;
    const { id, signingKey } = partners.addFresh(longLock ?? false, settings.random);
    return jsonAnswer(201, { partnerId: id, signingKey });
  }

  #addAuthCode(request: ServiceRequest): Answer {
    const { partnerId, userId } = parse(authCodeRequestSchema, request);
    const { partners, authCodes, settings } = this.#service;
    const partner = partners.find(partnerId);
    if (partner === undefined) {
      throw new ControlError(404, 'partner-unknown', 'No partner has this id.', 'partnerId');
    }
    return jsonAnswer(201, { authCode: authCodes.addFresh(partner, userId, settings.random) });
  }

  #readEstimate(estimateId: string): Answer {
    const { estimateIds, partners } = this.#service;
    const estimate = estimateIds.read(estimateId, partners);
    if (estimate === null) {
      throw new ControlError(404, 'estimate-unknown', 'This server issued no such estimate_id.');
    }
    const lock: EstimateLock = {
      estimateId,
      partnerId: estimate.partner.id,
      estimatePrice: estimate.priceFen,
      lockedUntil: isoOf(estimate.lockedUntilMs),
      locked: this.#clock.now() < estimate.lockedUntilMs,
    };
    return jsonAnswer(200, lock);
  }
}

/** A body that is left out says nothing, as `{}` does. */
function parse<T>(schema: z.ZodType<T>, { body }: ServiceRequest): T {
  let value: unknown = {};
  try {
    if (body.length > 0) value = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    throw new ControlError(400, 'body-invalid', 'The body is not JSON.');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.');
  throw new ControlError(400, 'body-invalid', issue?.message ?? 'The body is invalid.', field);
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
