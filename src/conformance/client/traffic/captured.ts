import type { StimulusKind } from './parsed-request.ts';

/** A request as it came in, secrets in it. */
export interface CapturedRequest {
  readonly method: string;
  /** Path and query as they were sent; each byte is one character. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** By the server's clock, milliseconds since the epoch. */
  readonly receivedMs: number;
}

/** What it was answered with. */
export interface CapturedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One exchange with a client, before it is read. */
export interface CapturedExchange {
  /** Null outside of scenarios. */
  readonly scenario: string | null;
  readonly sender: 'client' | 'elsewhere';
  readonly request: CapturedRequest;
  /** Null where none began. */
  readonly answer: CapturedAnswer | null;
  /** Null where the connection broke before the last byte. */
  readonly finishedMs: number | null;
  readonly stimuli: readonly StimulusKind[];
  /** Bytes that were no HTTP request, of which as much was read as could be. */
  readonly malformed?: boolean;
}

/**
 * Reads what it can of bytes that are no HTTP request, such as a request line with a space in its
 * query; null where there is not even a request line.
 */
export function salvageRequest(bytes: Uint8Array, receivedMs: number): CapturedRequest | null {
  const text = Buffer.from(bytes).toString('latin1');
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const match = /^([A-Z]+) ((?:https?:\/)?\/.*) HTTP\/1\.[01]$/i.exec(line);
  if (!match) return null;
  const headers = fields.flatMap((field) => {
    const at = field.indexOf(':');
    return at < 1 ? [] : [[field.slice(0, at).toLowerCase(), field.slice(at + 1).trim()]];
  });
  return {
    method: match[1] ?? '',
    target: match[2] ?? '',
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: Buffer.from(rest.join('\r\n\r\n'), 'latin1'),
    receivedMs,
  };
}
