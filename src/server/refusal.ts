import type { Behaviour, ErrorBody, ErrorCondition, ServiceRuleId } from '../interface/index.ts';
import { DEFAULT_ERROR_STATUS } from '../interface/index.ts';
import type { Answer } from './answer.ts';
import { jsonAnswer } from './answer.ts';

/** Details of a refusal: the field at fault, and the rule that refuses it. */
export interface RefusalDetail {
  readonly field?: string;
  readonly rule?: ServiceRuleId;
}

/** The refusal of a request, thrown by the judgement and turned into an answer by the service. */
export class Refusal extends Error {
  readonly condition: ErrorCondition;
  readonly detail: RefusalDetail;

  constructor(condition: ErrorCondition, message: string, detail: RefusalDetail = {}) {
    super(message);
    this.name = 'Refusal';
    this.condition = condition;
    this.detail = detail;
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
    return this.answer(status, { code: condition, message, ...detail });
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
