/** The credentials in the headers of a request. */
export interface RequestTail {
  readonly partnerId: string;
  /** Null in the platform's header. */
  readonly signature: string | null;
  readonly accessToken: string;
}

const START = ' HTTP/1.1\r\n';
const FIELD = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\x20-\x7e]*)$/;
const CREDENTIALS = /^Bearer ([^|\s]+)\|(?:([^|\s]{32}) openid\|)?([^|\s]+)$/;

/** Headers of estimates that affect neither message framing nor connection reuse. */
const HARMLESS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'host',
  'pragma',
  'sec-fetch-mode',
  'traceparent',
  'user-agent',
  'x-request-id',
]);

/**
 * Reads the rest of a head after the request's target, from ` HTTP/1.1` to the empty line; null for
 * any but the one strict form, which does not mean that it is refused.
 *
 * @see interface.md, "Authentication"
 */
export function readRequestTail(text: string): RequestTail | null {
  if (!text.startsWith(START) || !text.endsWith('\r\n\r\n')) return null;
  const fields = new Map<string, string>();
  for (const line of text.slice(START.length, -4).split('\r\n')) {
    const field = FIELD.exec(line);
    if (field === null) return null;
    const name = field[1]!.toLowerCase();
    if (fields.has(name) || !isHarmless(name, field[2]!)) return null;
    fields.set(name, field[2]!);
  }
  if (!fields.get('host')) return null;
  const credentials = CREDENTIALS.exec(fields.get('authorization') ?? '');
  if (credentials === null) return null;
  const [, partnerId, signature, accessToken] = credentials;
  return { partnerId: partnerId!, signature: signature ?? null, accessToken: accessToken! };
}

function isHarmless(name: string, value: string): boolean {
  if (name === 'connection') return /^keep-alive$/i.test(value);
  return name === 'authorization' || HARMLESS.has(name);
}
