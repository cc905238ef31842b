import type { Exchange } from '../../../documents/exchange.ts';
import type { ParsedRequest, RequestKind } from '../../../documents/parsed-request.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import { originForm } from '../parsing/request.ts';
import type { CapturedExchange } from '../traffic/captured.ts';

/** Characters of a body that are stored. */
const MAX_BODY_CHARACTERS = 16 * 1024;

/** An exchange of a run document, with the request as rules judge it. */
export interface ParsedExchange extends Exchange {
  readonly observed: ParsedRequest;
}

/** The exchange as a run document stores it, redacted. */
export function exchangeRecord(
  { request, answer, scenario, finishedMs }: CapturedExchange,
  observed: ParsedRequest,
  baseUrl: string,
  redact: Redact,
): ParsedExchange {
  const sentBody = Buffer.from(request.body).toString('utf8');
  const body = redact(answer?.body ?? '');
  return {
    id: observed.id,
    at: new Date(request.receivedMs).toISOString(),
    purpose: `${scenario ?? 'listening'}: ${purposeOf(observed)}`,
    partnerId: observed.authorization.partnerId,
    request: {
      method: request.method,
      url: redact(baseUrl + originForm(request.target)),
      headers: redactTexts(request.headers, redact),
      body: sentBody === '' ? null : redact(sentBody).slice(0, MAX_BODY_CHARACTERS),
    },
    response: answer && {
      status: answer.status,
      headers: redactTexts(answer.headers, redact),
      body: body.slice(0, MAX_BODY_CHARACTERS),
      bodyBytes: Buffer.byteLength(answer.body),
      truncated: finishedMs === null || body.length > MAX_BODY_CHARACTERS,
    },
    error: finishedMs === null ? brokenBefore(answer ? 'the last byte' : 'the answer') : null,
    durationMs: Math.max(0, (finishedMs ?? request.receivedMs) - request.receivedMs),
    observed,
  };
}

function brokenBefore(end: string): Exchange['error'] {
  return { code: 'CONNECTION_BROKEN', message: `the connection ended before ${end}` };
}

function purposeOf({ kind, token, sender, stimuli }: ParsedRequest): string {
  const grant = token?.fields['grant_type'];
  const tokenRequest = `token request (${typeof grant === 'string' ? grant : 'no grant_type'})`;
  const what = kind === 'token' ? tokenRequest : PURPOSES[kind];
  const by = sender === 'elsewhere' ? ', sent by the scenario' : '';
  return `${what}${by}${stimuli.length > 0 ? `, answered with: ${stimuli.join(', ')}` : ''}`;
}

const PURPOSES: Readonly<Record<Exclude<RequestKind, 'token'>, string>> = {
  estimate: 'estimate request',
  probe: 'request outside the interface',
  other: 'other request',
  malformed: 'other request',
};

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
      ...estimate,
      parameters: redactTexts(estimate.parameters, redact),
      encodingFault: orNull(estimate.encodingFault),
      ...(estimate.encodingDoubt !== undefined && {
        encodingDoubt: redact(estimate.encodingDoubt),
      }),
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
      ...(answer.refusal !== undefined && { refusal: redact(answer.refusal) }),
    },
  };
}

/** Redacts the texts among the values of an object. */
function redactTexts<Value>(
  values: Readonly<Record<string, Value>>,
  redact: Redact,
): Record<string, Value> {
  const redacted = (value: Value): Value =>
    typeof value === 'string' ? (redact(value) as Value) : value;
  const entries = Object.entries(values).map(([name, value]) => [name, redacted(value)]);
  return Object.fromEntries(entries) as Record<string, Value>;
}
