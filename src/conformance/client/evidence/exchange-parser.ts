import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import type { Exchange } from '../../exchange.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import { Redactor } from '../../redaction/redactor.ts';
import { parseAnswer } from '../parsing/answer.ts';
import { parseAuthorization } from '../parsing/authorization.ts';
import { parseBody } from '../parsing/body.ts';
import { parseQuery } from '../parsing/query.ts';
import { findSignature, type SignedFields } from '../signature/check-signature.ts';
import type { CapturedExchange } from '../traffic/captured.ts';
import type { ParsedRequest, RequestKind, SignatureFinding } from '../traffic/parsed-request.ts';

/** What a parser has to know to read a client's traffic. */
export interface ParserOptions {
  /** Where the client sends its requests. */
  readonly baseUrlOf: (scenario: string | null) => string;
  readonly partners: readonly PartnerCredentials[];
  readonly signedFields: SignedFields;
}

/** A request read, and its exchange as evidence. */
export interface ParsedExchange {
  readonly observed: ParsedRequest;
  readonly exchange: Exchange & { readonly observed: ParsedRequest };
}

/** Characters of a body that are kept as evidence. */
const KEPT_CHARACTERS = 16 * 1024;

/** Signatures that no mistake explained, after which pairs of mistakes are no longer tried. */
const UNEXPLAINED_IN_FULL = 6;

/** Reads captured exchanges into what rules look at; no secret leaves it. */
export class ExchangeParser {
  readonly #options: ParserOptions;
  readonly #redactor = new Redactor();
  /** Secrets by scenario: those of one do not stand in another's exchanges. */
  readonly #secrets = new Map<string | null, Set<string>>();
  /** Values of `_` and nostr that were sent before, by scenario. */
  readonly #sentBefore = new Map<string | null, { _: unknown[]; nostr: unknown[] }>();
  #count = 0;
  #unexplained = 0;

  constructor(options: ParserOptions) {
    this.#options = options;
    for (const { id, signingKey } of options.partners) {
      this.#redactor.add('signing_key', signingKey, id);
    }
  }

  /** Redacts a text of the client's own, such as its output. */
  redact(text: string, scenario: string | null): string {
    const keys = this.#options.partners.map(({ signingKey }) => signingKey);
    return this.#redactor.redact(text, {
      only: [...(this.#secrets.get(scenario) ?? []), ...keys],
    });
  }

  /** Reads one exchange; in order of their requests. */
  read(captured: CapturedExchange): ParsedExchange {
    const { request, answer, scenario } = captured;
    const [path = '', ...queries] = originForm(request.target).split('?');
    const rawQuery = queries.join('?');
    const body = parseBody(request.body);
    const kind = kindOf(request.method, path, rawQuery, body.fields);
    const fields = kind === 'estimate' && body.body === 'form' ? bodyAsQuery(request.body) : '';
    const query = parseQuery(rawQuery || fields);
    const authorization = parseAuthorization(request.headers['authorization']);
    const received = parseAnswer(answer?.body ?? '');
    const secrets = this.#secretsOf(scenario);
    const add = (secret: unknown, as: Parameters<Redactor['add']>[0]): void => {
      if (typeof secret !== 'string' || secret === '') return;
      this.#redactor.add(as, secret);
      secrets.add(secret);
    };
    add(received.accessToken, 'access_token');
    add(received.refreshToken, 'refresh_token');
    add(body.fields['refresh_token'], 'refresh_token');
    add(body.fields['auth_code'], 'auth_code');
    add(authorization.userToken, 'access_token');
    const isPlatform = kind === 'estimate' && authorization.form === 'pair';
    add(authorization.second, isPlatform ? 'access_token' : 'signature');
    add(authorization.salvagedSignature, 'signature');
    const redact = (text: string): string => this.redact(text, scenario);
    const redactOrNull = (text: string | null): string | null =>
      text === null ? null : redact(text);
    const { partners } = this.#options;
    const id = `x${++this.#count}`;
    const observed: ParsedRequest = {
      id,
      scenario,
      sender: captured.sender,
      receivedMs: request.receivedMs,
      finishedMs: captured.finishedMs,
      kind: captured.malformed && kind === 'other' ? 'malformed' : kind,
      method: request.method,
      // Some clients put a token into the path; a word of a right path is no secret.
      path: path === TOKEN_PATH || path === ESTIMATES_PATH ? path : redact(path),
      contentType: request.headers['content-type'] ?? null,
      authorization: {
        form: authorization.form,
        shape: redact(authorization.shape),
        partnerId: redactOrNull(authorization.partnerId),
        second: redactOrNull(authorization.second),
        userToken: redactOrNull(authorization.userToken),
      },
      partnerKnown:
        authorization.partnerId === null
          ? null
          : partners.some((partner) => partner.id === authorization.partnerId),
      token:
        kind === 'token' ? { body: body.body, fields: redactFields(body.fields, redact) } : null,
      estimate:
        kind === 'estimate'
          ? {
              parameters: redactTexts(query.parameters, redact),
              encodingFault: redactOrNull(query.fault),
            }
          : null,
      signature: this.#findingOf(captured, kind, body.fields, query, redact),
      answer: {
        status: answer?.status ?? null,
        whole: captured.finishedMs !== null,
        isJson: received.isJson,
        accessToken: redactOrNull(received.accessToken),
        refreshToken: redactOrNull(received.refreshToken),
        expiresInS: received.expiresInS,
        estimateIds: received.estimateIds,
      },
      stimuli: captured.stimuli,
    };
    if (kind === 'token') this.#remember(scenario, body.fields);
    return { observed, exchange: { ...this.#exchangeOf(captured, observed, redact), observed } };
  }

  #secretsOf(scenario: string | null): Set<string> {
    const known = this.#secrets.get(scenario) ?? new Set<string>();
    this.#secrets.set(scenario, known);
    return known;
  }

  #findingOf(
    { request, scenario }: CapturedExchange,
    kind: RequestKind,
    fields: Readonly<Record<string, unknown>>,
    query: ReturnType<typeof parseQuery>,
    redact: (text: string) => string,
  ): SignatureFinding | null {
    const raw = parseAuthorization(request.headers['authorization']);
    const { partners, signedFields } = this.#options;
    const partner =
      partners.find(({ id }) => id === raw.partnerId) ??
      (partners.length === 1 ? partners[0] : undefined);
    if (partner === undefined || raw.salvagedSignature === null) return null;
    if (kind === 'estimate' && raw.form !== 'user') return null;
    if (kind !== 'estimate' && kind !== 'token') return null;
    const finding = findSignature({
      kind,
      partner,
      signature: raw.salvagedSignature,
      pairs: kind === 'token' ? fields : query.parameters,
      encodedPairs: kind === 'token' ? null : query.encoded,
      bodyText: kind === 'token' ? Buffer.from(request.body).toString('utf8') : undefined,
      token: raw.userToken,
      sentBefore: this.#sentBefore.get(scenario) ?? { _: [], nostr: [] },
      signedFields,
      singlesOnly: this.#unexplained >= UNEXPLAINED_IN_FULL,
    });
    if (finding?.verdict === 'unexplained') this.#unexplained++;
    return (
      finding && {
        ...finding,
        signedText: finding.signedText === null ? null : redact(finding.signedText),
        canonical: redact(finding.canonical),
      }
    );
  }

  #remember(scenario: string | null, fields: Readonly<Record<string, unknown>>): void {
    const before = this.#sentBefore.get(scenario) ?? { _: [], nostr: [] };
    before._ = [...before._.slice(-4), fields['_']];
    before.nostr = [...before.nostr.slice(-4), fields['nostr']];
    this.#sentBefore.set(scenario, before);
  }

  #exchangeOf(
    { request, answer, scenario, finishedMs }: CapturedExchange,
    observed: ParsedRequest,
    redact: (text: string) => string,
  ): Exchange {
    const text = Buffer.from(request.body).toString('utf8');
    const body = redact(answer?.body ?? '');
    return {
      id: observed.id,
      at: new Date(request.receivedMs).toISOString(),
      purpose: `${scenario ?? 'listening'}: ${purposeOf(observed)}`,
      partnerId: observed.authorization.partnerId,
      request: {
        method: request.method,
        url: redact(this.#options.baseUrlOf(scenario) + originForm(request.target)),
        headers: redactTexts(request.headers, redact),
        body: text === '' ? null : redact(text).slice(0, KEPT_CHARACTERS),
      },
      response: answer && {
        status: answer.status,
        headers: redactTexts(answer.headers, redact),
        body: body.slice(0, KEPT_CHARACTERS),
        bodyBytes: Buffer.byteLength(answer.body),
        truncated: finishedMs === null || body.length > KEPT_CHARACTERS,
      },
      error:
        finishedMs === null
          ? {
              code: 'CONNECTION_BROKEN',
              message: `the connection ended before the ${answer === null ? 'answer' : 'last byte'}`,
            }
          : null,
      durationMs: Math.max(0, (finishedMs ?? request.receivedMs) - request.receivedMs),
    };
  }
}

/** A server has to take a target with its origin, as a proxy is sent it (RFC 9112, section 3.2.2). */
function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') || rest === target ? rest : `/${rest}`;
}

function purposeOf({ kind, token, sender, stimuli }: ParsedRequest): string {
  const grant = token?.fields['grant_type'];
  const what =
    kind === 'token'
      ? `a token request (${typeof grant === 'string' ? grant : 'no grant_type'})`
      : kind === 'estimate'
        ? 'an estimate request'
        : 'another request';
  const by = sender === 'elsewhere' ? ', sent elsewhere' : " of the client's";
  return `${what}${by}${stimuli.length > 0 ? `, answered with: ${stimuli.join(', ')}` : ''}`;
}

const bodyAsQuery = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** By the path, whatever its version; where that leads nowhere, by the content. */
function kindOf(
  method: string,
  path: string,
  rawQuery: string,
  fields: Readonly<Record<string, unknown>>,
): RequestKind {
  if ((method === 'GET' || method === 'HEAD') && (path === '/healthz' || path === '/openapi.json'))
    return 'probe';
  const ends = (documented: string): boolean =>
    path.replace(/\/+$/, '').endsWith(documented.replace('/v1', ''));
  if (ends(TOKEN_PATH)) return 'token';
  if (ends(ESTIMATES_PATH)) return 'estimate';
  if ('grant_type' in fields || /(^|&)grant_type=/.test(rawQuery)) return 'token';
  if (/start_l(at|ng)=/.test(rawQuery) || 'start_lat' in fields) return 'estimate';
  return 'other';
}

function redactTexts(
  texts: Readonly<Record<string, string>>,
  redact: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, redact(text)]));
}

function redactFields(
  fields: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? redact(value) : value,
    ]),
  );
}
