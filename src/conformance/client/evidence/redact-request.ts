import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';

/** Replaces secrets in a text. */
export type Redact = (text: string) => string;

/** Redacts the texts of a request that may contain secrets. */
export function redactRequest(request: ParsedRequest, redact: Redact): ParsedRequest {
  const { path, authorization, token, estimate, signature, answer } = request;
  const orNull = (text: string | null): string | null => text && redact(text);
  return {
    ...request,
    // Some clients put a token into the path; a word of a documented path is not a secret.
    path: path === TOKEN_PATH || path === ESTIMATES_PATH ? path : redact(path),
    authorization: {
      form: authorization.form,
      shape: redact(authorization.shape),
      partnerId: orNull(authorization.partnerId),
      second: orNull(authorization.second),
      userToken: orNull(authorization.userToken),
    },
    token: token && { ...token, fields: redactTexts(token.fields, redact) },
    estimate: estimate && {
      parameters: redactTexts(estimate.parameters, redact),
      encodingFault: orNull(estimate.encodingFault),
    },
    signature: signature && {
      ...signature,
      signedText: orNull(signature.signedText),
      canonical: redact(signature.canonical),
    },
    answer: {
      ...answer,
      accessToken: orNull(answer.accessToken),
      refreshToken: orNull(answer.refreshToken),
    },
  };
}

/** Redacts the texts among the values of an object. */
export function redactTexts<Value>(
  values: Readonly<Record<string, Value>>,
  redact: Redact,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? (redact(value) as Value) : value,
    ]),
  );
}
