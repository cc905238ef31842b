import type { WireRequest } from './wire.ts';

type Header = [name: string, value: string];

/** Adds headers to a request. */
export const adding =
  (...own: Header[]) =>
  (request: WireRequest): WireRequest => ({
    ...request,
    headers: [...request.headers, ...own],
  });

/** Sends a body in chunks, which are written by a function; an empty one as it is. */
export const chunked =
  (write: (body: Buffer) => Buffer, ...own: Header[]) =>
  (request: WireRequest): WireRequest =>
    request.body.length === 0
      ? request
      : {
          ...request,
          headers: [
            ...request.headers.filter(([name]) => name !== 'Content-Length'),
            ['Transfer-Encoding', 'chunked'],
            ...own,
          ],
          body: write(request.body),
        };
