import { brotliDecompressSync, gunzipSync, inflateSync, type ZlibOptions } from 'node:zlib';

/** Body as text. */
export interface DecodedBody {
  readonly body: string;
  /** Bytes of the decoded body, at most the cap. */
  readonly bodyBytes: number;
  /** True if the body is longer than the cap. */
  readonly truncated: boolean;
}

const DECODERS: Readonly<Record<string, (bytes: Buffer, options: ZlibOptions) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Bytes that are kept of a body beyond the cap: it is not judged, and a document stores less of it. */
const KEPT_BYTES = 20 * 1024;

/**
 * Decodes a body by its content encoding, to `capBytes` at most: a decompression bomb becomes an
 * empty, truncated body.
 */
export function decodeBody(
  bytes: Buffer,
  truncated: boolean,
  contentEncoding: string | undefined,
  capBytes: number,
): DecodedBody | { readonly error: string } {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return text(bytes, truncated);
  const decode = DECODERS[encoding];
  if (!decode)
    return { error: `the body has the content encoding ${encoding}, which was not requested` };
  if (truncated) return text(Buffer.alloc(0), true);
  try {
    return text(decode(bytes, { maxOutputLength: capBytes }), false);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') return text(Buffer.alloc(0), true);
    return { error: `the body cannot be decoded as ${encoding} (${code ?? 'broken'})` };
  }
}

function text(bytes: Buffer, truncated: boolean): DecodedBody {
  const kept = truncated ? bytes.subarray(0, KEPT_BYTES) : bytes;
  return { body: kept.toString('utf8'), bodyBytes: bytes.length, truncated };
}
