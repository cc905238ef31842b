import type { CapturedRequest } from '../traffic/captured.ts';

/**
 * Recovers a request from bytes that are not valid HTTP, such as a request line with a space in its
 * query; null if there is no request line.
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
