import type { IncomingMessage } from 'node:http';

/** Size limit of a body, in bytes: 64 KiB. */
export const BODY_LIMIT_BYTES = 65_536;

/** Callbacks for the end of a body; none is called if the client closes the connection before. */
export interface BodyEnds {
  readonly whole: (body: Uint8Array) => void;
  readonly tooLarge: () => void;
}

/** Reads the body of a request, up to the limit. */
export function readBody(request: IncomingMessage, { whole, tooLarge }: BodyEnds): void {
  const chunks: Buffer[] = [];
  let byteCount = 0;
  const take = (chunk: Buffer): void => {
    byteCount += chunk.length;
    chunks.push(chunk);
    if (byteCount <= BODY_LIMIT_BYTES) return;
    request.removeListener('data', take);
    request.removeListener('end', end);
    tooLarge();
  };
  const end = (): void =>
    whole(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
  request.on('data', take);
  request.once('end', end);
  request.on('error', () => {});
}
