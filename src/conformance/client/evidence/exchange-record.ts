import type { Exchange } from '../../../documents/exchange.ts';
import type { ParsedRequest, RequestKind } from '../../../documents/parsed-request.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import type { Redactor } from '../../../redaction/index.ts';
import { originForm } from '../parsing/request.ts';
import type { CapturedExchange } from '../traffic/captured.ts';

/** Characters of a body that are stored. */
const MAX_BODY_CHARACTERS = 16 * 1024;

/** An exchange of a run document, with the request as rules judge it. */
export interface ParsedExchange extends Exchange {
  readonly observed: ParsedRequest;
}

/** The exchange as a run document stores it, with its bodies as redacted before. */
export function exchangeRecord(
  { request, answer, scenario, finishedMs }: CapturedExchange,
  observed: ParsedRequest,
  baseUrl: string,
  redactor: Redactor,
  { sent, received }: { readonly sent: string; readonly received: string },
): ParsedExchange {
  return {
    id: observed.id,
    at: new Date(request.receivedMs).toISOString(),
    purpose: `${scenario ?? 'listening'}: ${purposeOf(observed)}`,
    partnerId: observed.authorization.partnerId,
    request: {
      method: request.method,
      url: redactor.redactReceived({ text: baseUrl + originForm(request.target), kind: 'sent' }),
      headers: redactFields(request.headers, redactor),
      body: sent === '' ? null : sent.slice(0, MAX_BODY_CHARACTERS),
    },
    response: answer && {
      status: answer.status,
      headers: redactFields(answer.headers, redactor),
      body: received.slice(0, MAX_BODY_CHARACTERS),
      bodyBytes: Buffer.byteLength(answer.body),
      truncated: finishedMs === null || received.length > MAX_BODY_CHARACTERS,
    },
    error: finishedMs === null ? brokenBefore(answer ? 'the last byte' : 'the response') : null,
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

/** Redacts the texts of a request that may contain secrets. */
export function redactRequest(request: ParsedRequest, redactor: Redactor): ParsedRequest {
  const { path, authorization, token, estimate, signature, answer } = request;
  const { form, shape, partnerId, second, userToken } = authorization;
  const redacted = <Part extends object>(part: Part, ...names: readonly (keyof Part)[]): Part => {
    const texts = names.filter((name) => typeof part[name] === 'string');
    const pairs = texts.map((name) => [name, redactor.redact(part[name] as string)]);
    return { ...part, ...(Object.fromEntries(pairs) as Partial<Part>) };
  };
  return {
    ...request,
    // Some clients put a token into the path; a word of a documented path is not a secret.
    path: path === TOKEN_PATH || path === ESTIMATES_PATH ? path : redactor.redact(path),
    authorization: redacted(
      { form, shape, partnerId, second, userToken },
      'shape',
      'partnerId',
      'second',
      'userToken',
    ),
    token: token && { ...token, fields: redactFields(token.fields, redactor) },
    estimate: estimate && {
      ...redacted(estimate, 'encodingFault', 'encodingDoubt'),
      parameters: redactFields(estimate.parameters, redactor),
    },
    signature: signature && redacted(signature, 'signedText', 'canonical'),
    answer: redacted(answer, 'accessToken', 'refreshToken', 'refusal'),
  };
}

/** Redacts the names and values of fields, at any depth. */
function redactFields<Value>(
  values: Readonly<Record<string, Value>>,
  redactor: Redactor,
): Record<string, Value> {
  const entries = Object.entries(values).map(([name, value]) => [
    redactor.redact(name),
    redactValue(name, value, redactor),
  ]);
  return Object.fromEntries(entries) as Record<string, Value>;
}

function redactValue(name: string, value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.redactField(name, value);
  if (typeof value === 'number') return Number(redactor.redactField(name, `${value}`));
  if (Array.isArray(value)) return value.map((one) => redactValue(name, one, redactor));
  if (value === null || typeof value !== 'object') return value;
  return redactFields(value as Record<string, unknown>, redactor);
}
