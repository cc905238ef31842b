/** An answer, independent of its transport. */
export interface Answer {
  readonly status: number;
  /** Null if there is no body. */
  readonly contentType: string | null;
  readonly body: string;
  /** The header Allow of an answer to another method. */
  readonly allow?: string;
}

/** The content type of every JSON answer (interface.md, "Token response body"). */
export const JSON_UTF8 = 'application/json; charset=utf-8';

/** An answer whose body is that value as JSON. */
export function jsonAnswer(status: number, value: unknown): Answer {
  return { status, contentType: JSON_UTF8, body: JSON.stringify(value) };
}
