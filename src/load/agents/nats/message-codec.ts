import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Messages below this many bytes gain nothing from compression. */
const LEAST_COMPRESSED = 512;
/** The longest message, decompressed: far beyond a plan of 1.4 MB. */
const MOST_BYTES = 64 * 1024 * 1024;

const PLAIN = 0;
const DEFLATED = 1;

/**
 * Encodes a message as JSON, compressed where that helps, behind a byte that says which. JSON, since
 * the serialization of V8 differs between lines of Node, and two machines may have two; and since
 * whatever a peer sends, parsing it makes plain data and nothing else. Every message is plain data of
 * finite numbers and strings.
 */
export function encodeMessage(message: object): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  return json.length < LEAST_COMPRESSED
    ? Buffer.concat([Buffer.of(PLAIN), json])
    : Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(json, { level: 1 })]);
}

/**
 * Decodes a message.
 *
 * @throws Error for one that {@link encodeMessage} did not make
 */
export function decodeMessage(bytes: Buffer): unknown {
  const body = bytes.subarray(1);
  switch (bytes[0]) {
    case PLAIN:
      return JSON.parse(body.toString());
    case DEFLATED:
      return JSON.parse(inflateRawSync(body, { maxOutputLength: MOST_BYTES }).toString());
    default:
      throw new Error('not an encoded message');
  }
}
