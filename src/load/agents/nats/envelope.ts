import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { KeyPair } from '@nats-io/nkeys';

/** A message and its number, which counts from 1 in each direction of a session. */
export interface Numbered {
  readonly number: number;
  readonly message: { readonly kind: string };
}

/** Messages with a token, a header or the beginning of an answer in them. */
const SEALED_KINDS = new Set(['prepare', 'token', 'resume', 'report', 'failed']);
/** The longest message, decompressed: far beyond a plan of 1.4 MB. */
const MOST_BYTES = 64 * 1024 * 1024;
const CLEAR = 0;
const SEALED = 1;

/**
 * Packs the messages of a session as compressed JSON behind a byte that says whether it is sealed: what
 * may be secret is, with the curve key of its receiver, and of no other kind an unsealed one is read.
 * The rest is not, since sealing takes milliseconds of CPU each way. JSON, since the serialization of V8
 * differs between lines of Node, and since parsing it makes plain data, whatever a peer sends.
 */
export class Envelope {
  readonly #own: KeyPair;
  readonly #peer: string;

  private constructor(own: KeyPair, peer: string) {
    this.#own = own;
    this.#peer = peer;
  }

  /** Null if the key of the other side is no public curve key. */
  static between(own: KeyPair, peer: string): Envelope | null {
    try {
      own.seal(new Uint8Array(), peer);
      return new Envelope(own, peer);
    } catch {
      return null;
    }
  }

  pack(numbered: Numbered): Buffer {
    const bytes = deflateRawSync(JSON.stringify(numbered), { level: 1 });
    return SEALED_KINDS.has(numbered.message.kind)
      ? Buffer.concat([Buffer.of(SEALED), this.#own.seal(bytes, this.#peer)])
      : Buffer.concat([Buffer.of(CLEAR), bytes]);
  }

  /** Null for bytes that the other side of the session did not pack. */
  open(packed: Uint8Array): Numbered | null {
    try {
      const isSealed = packed[0] === SEALED;
      const body = packed.subarray(1);
      const bytes = isSealed ? this.#own.open(body, this.#peer) : body;
      const json = inflateRawSync(bytes!, { maxOutputLength: MOST_BYTES }).toString();
      const numbered = JSON.parse(json) as Numbered;
      return SEALED_KINDS.has(numbered.message.kind) === isSealed ? numbered : null;
    } catch {
      return null;
    }
  }
}
