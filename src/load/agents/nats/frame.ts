import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Part of a message, as large as the broker takes it. */
export interface Frame {
  /** Number of the frame, from 1, in each direction. */
  readonly number: number;
  /** Number of the last frame that was received in order; 0 for none. */
  readonly acknowledged: number;
  /** True for the last part of its message. */
  readonly isLast: boolean;
  readonly chunk: Buffer;
}

/** Keys of a session, one for each direction; 32 bytes each. */
export interface SessionKeys {
  readonly sending: Buffer;
  readonly receiving: Buffer;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 9;

/** Bytes that a sealed frame has besides its chunk. */
export const SEALED_OVERHEAD: number = NONCE_BYTES + TAG_BYTES + HEAD_BYTES;

/**
 * Encrypts and authenticates frames (AES-256-GCM). The keys come sealed with the curve keys of
 * nkeys; frames are not sealed with these themselves, since that takes more than 1 ms of CPU each way.
 */
export class FrameSealer {
  readonly #keys: SessionKeys;

  constructor(keys: SessionKeys) {
    this.#keys = keys;
  }

  seal({ number, acknowledged, isLast, chunk }: Frame): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(number, 0);
    head.writeUInt32BE(acknowledged, 4);
    head.writeUInt8(isLast ? 1 : 0, 8);
    const cipher = createCipheriv(ALGORITHM, this.#keys.sending, nonce);
    const sealed = [nonce, cipher.update(head), cipher.update(chunk), cipher.final()];
    return Buffer.concat([...sealed, cipher.getAuthTag()]);
  }

  /** Null for bytes that the other side of the session did not seal. */
  open(bytes: Uint8Array): Frame | null {
    if (bytes.length < SEALED_OVERHEAD) return null;
    const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(ALGORITHM, this.#keys.receiving, nonce, options);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
      decipher.final();
      return {
        number: text.readUInt32BE(0),
        acknowledged: text.readUInt32BE(4),
        isLast: text.readUInt8(8) === 1,
        chunk: text.subarray(HEAD_BYTES),
      };
    } catch {
      return null;
    }
  }
}
