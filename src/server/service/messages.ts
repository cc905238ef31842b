import {
  type Behaviour,
  DEFAULT_BEHAVIOUR,
  DEFAULT_ERROR_STATUS,
  type ErrorBody,
  type ErrorCondition,
  type ServiceRuleId,
} from '../../interface/index.ts';

/** A request whose head and body are whole, before its path is looked at. */
export interface ServiceRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** Text after the `?`, as it was sent. */
  readonly rawQuery: string;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  /** Address of the server, for links in answers. */
  readonly baseUrl: string;
}

/** An answer, independent of its transport. */
export interface Answer {
  readonly status: number;
  /** Null if there is no body. */
  readonly contentType: string | null;
  readonly body: string;
  /** The header Allow of an answer to another method. */
  readonly allow?: string;
  /** Rule by which the request was refused, for the access log. */
  readonly rule?: ServiceRuleId | undefined;
}

/** The content type of every JSON answer (interface.md, "Token response body"). */
export const JSON_UTF8 = 'application/json; charset=utf-8';

/** An answer whose body is that value as JSON. */
export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, contentType: JSON_UTF8, body: JSON.stringify(value) };
}

/** The refusal of a request, thrown by the judgement and turned into an answer by the service. */
export class Refusal extends Error {
  readonly condition: ErrorCondition;
  /** The field at fault, and the rule that refuses it. */
  readonly detail: { readonly field?: string; readonly rule?: ServiceRuleId };
  /** The same refusal with an explanation that takes time; null for one that is whole. */
  readonly explained: Promise<Refusal> | null;

  constructor(
    condition: ErrorCondition,
    message: string,
    detail: Refusal['detail'] = {},
    explained: Refusal['explained'] = null,
  ) {
    super(message);
    this.name = 'Refusal';
    this.condition = condition;
    this.detail = detail;
    this.explained = explained;
  }
}

/** Writes errors by the settings of the gaps `error-status` and `error-body` (interface.md, "Errors"). */
export class ErrorWriter {
  readonly #statuses: Behaviour['error-status'];
  readonly #bodyStyle: Behaviour['error-body'];

  constructor(behaviour: Behaviour) {
    this.#statuses = behaviour['error-status'];
    this.#bodyStyle = behaviour['error-body'];
  }

  /** The answer to a refused request. */
  answerTo(refusal: Refusal): Answer {
    const { condition, detail, message } = refusal;
    const status = this.#statuses[condition] ?? DEFAULT_ERROR_STATUS[condition];
    const answer = this.answer(status, { code: condition, message, ...detail });
    return detail.rule === undefined ? answer : { ...answer, rule: detail.rule };
  }

  /** An error answer with a given status, for a malformed HTTP message. */
  answer(status: number, error: ErrorBody['error']): Answer {
    switch (this.#bodyStyle) {
      case 'json':
        return jsonAnswer(status, { error } satisfies ErrorBody);
      case 'text':
        return { status, contentType: 'text/plain; charset=utf-8', body: `${error.message}\n` };
      case 'empty':
        return { status, contentType: null, body: '' };
    }
  }
}

/** Errors of the control API and of metrics; the gaps' settings do not change them. */
export const CONTROL_ERRORS: ErrorWriter = new ErrorWriter(DEFAULT_BEHAVIOUR);
