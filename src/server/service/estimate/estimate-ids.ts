import { LIMITS } from '../../../interface/index.ts';
import type { RandomSource } from '../random.ts';
import type { Partner, Partners } from '../state/partners.ts';
import { Chaskey } from './chaskey.ts';

/** The content of an estimate_id. */
export interface LockedEstimate {
  readonly partner: Partner;
  /** Fen. */
  readonly priceFen: number;
  /** Milliseconds since the epoch. */
  readonly lockedUntilMs: number;
}

/** Durations for which estimates are locked. */
export interface EstimateLocks {
  readonly defaultMs: number;
  /** For specially agreed partners. */
  readonly longMs: number;
}

/** The locks of the interface (interface.md, "Limits"). */
export const ESTIMATE_LOCKS: EstimateLocks = {
  defaultMs: LIMITS.estimateLockSeconds * 1000,
  longMs: LIMITS.longEstimateLockSeconds * 1000,
};

/** The key of estimate ids. Processes of one server share all of it but the last two bytes of `instance`. */
export interface EstimateKey {
  /** 6 bytes at the start of each id: 4 of the server, 2 of the process. */
  readonly instance: Uint8Array;
  /** 16 bytes. */
  readonly mac: Uint8Array;
}

const ID = /^[\w-]{43}$/;
/** Length of an estimate_id, in characters. */
export const ID_LENGTH = 43;
const INSTANCE_BYTES = 6;
/** Bytes of the instance that every process of a server shares. */
const SERVER_BYTES = 4;
const MAC_KEY_BYTES = 16;
const BASE64URL = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
const WORD = 2 ** 32;
const MAX_PARTNERS = 2 ** 24;

/**
 * Estimate ids that contain their own lock, so that an estimate takes no memory (interface.md,
 * "What the service does", 4). An id is 32 bytes in base64url: 6 of this process (random), 6 of the
 * time of issue (ms), 4 of a counter, 4 of the price (fen), 1 of flags (a long lock), 3 of the
 * partner's index, and 8 of a message authentication code. Process and counter make ids unique,
 * also across restarts within a second. Workers read each other's ids.
 */
export class EstimateIds {
  readonly #key: EstimateKey;
  readonly #instance: Buffer;
  readonly #instanceLow: number;
  readonly #instanceHigh: number;
  readonly #mac: Chaskey;
  readonly #locks: EstimateLocks;
  /** The first eight characters, the same in every id. */
  readonly #start: Buffer;
  /** Scratch memory of {@link issue}. */
  readonly #text = Buffer.alloc(ID_LENGTH);
  #counter = 0;

  /** @param key default a random one */
  constructor(random: RandomSource, locks: EstimateLocks, key: EstimateKey = drawKey(random)) {
    this.#key = key;
    this.#instance = Buffer.from(key.instance);
    this.#instanceLow = this.#instance.readInt32LE(0);
    this.#instanceHigh = this.#instance.readUInt16LE(SERVER_BYTES);
    this.#mac = new Chaskey(Buffer.from(key.mac));
    this.#locks = locks;
    this.#start = Buffer.from(this.#instance.toString('base64url'), 'latin1');
  }

  /**
   * The key of a worker, whose ids this process reads, and which reads those of this one.
   *
   * @param worker number from 1 to 65,535
   */
  keyOfWorker(worker: number): EstimateKey {
    const instance = Buffer.from(this.#instance);
    instance.writeUInt16LE((this.#instanceHigh + worker) & 0xffff, SERVER_BYTES);
    return { instance, mac: this.#key.mac };
  }

  /** Makes the id of an estimate of that price. */
  issue(partner: Partner, priceFen: number, nowMs: number): string {
    this.put(this.#text, 0, partner, priceFen, nowMs);
    return this.#text.toString('latin1');
  }

  /** Writes the id of an estimate of that price into bytes. */
  put(bytes: Uint8Array, at: number, partner: Partner, priceFen: number, nowMs: number): void {
    const counter = this.#counter++ | 0;
    const timeLow = (nowMs % WORD) | 0;
    const timeHigh = Math.floor(nowMs / WORD);
    const owner = (partner.index % MAX_PARTNERS) | (Number(partner.longLock) << 24);
    this.#authenticate(this.#instanceHigh, timeLow, timeHigh, counter, priceFen, owner);
    const { tag0, tag1 } = this.#mac;
    const start = this.#start;
    for (let index = 0; index < start.length; index++) bytes[at + index] = start[index]!;
    put(bytes, at + 8, ((timeHigh & 0xffff) << 8) | (timeLow >>> 24));
    put(bytes, at + 12, timeLow & 0xffffff);
    put(bytes, at + 16, counter >>> 8);
    put(bytes, at + 20, ((counter & 0xff) << 16) | (priceFen >>> 16));
    put(bytes, at + 24, ((priceFen & 0xffff) << 8) | (owner >>> 24));
    put(bytes, at + 28, owner & 0xffffff);
    put(bytes, at + 32, tag0 >>> 8);
    put(bytes, at + 36, ((tag0 & 0xff) << 16) | (tag1 >>> 16));
    bytes[at + 40] = BASE64URL[(tag1 >>> 10) & 63]!;
    bytes[at + 41] = BASE64URL[(tag1 >>> 4) & 63]!;
    bytes[at + 42] = BASE64URL[(tag1 << 2) & 63]!;
  }

  /** Reads an id; null for one that this server did not issue. */
  read(estimateId: string, partners: Partners): LockedEstimate | null {
    if (!ID.test(estimateId)) return null;
    const bytes = Buffer.from(estimateId, 'base64url');
    const issuedAtMs = bytes.readUIntBE(6, 6);
    const counter = bytes.readInt32BE(12);
    const priceFen = bytes.readUInt32BE(16);
    const owner = bytes.readUInt32BE(20);
    this.#authenticate(
      bytes.readUInt16LE(SERVER_BYTES),
      (issuedAtMs % WORD) | 0,
      Math.floor(issuedAtMs / WORD),
      counter,
      priceFen,
      owner,
    );
    const differs =
      (bytes.readInt32BE(24) ^ this.#mac.tag0) |
      (bytes.readInt32BE(28) ^ this.#mac.tag1) |
      Number(bytes.toString('base64url') !== estimateId) |
      Number(bytes.readInt32LE(0) !== this.#instanceLow);
    const partner = partners.at(owner & 0xffffff);
    if (differs !== 0 || partner === undefined) return null;
    const { defaultMs, longMs } = this.#locks;
    const lockedUntilMs = issuedAtMs + (owner >>> 24 === 1 ? longMs : defaultMs);
    return { partner, priceFen, lockedUntilMs };
  }

  #authenticate(
    instanceHigh: number,
    timeLow: number,
    timeHigh: number,
    counter: number,
    priceFen: number,
    owner: number,
  ): void {
    const instanceAndTime = instanceHigh | (timeHigh << 16);
    this.#mac.authenticate(
      this.#instanceLow,
      instanceAndTime,
      timeLow,
      counter,
      priceFen | 0,
      owner | 0,
    );
  }
}

function drawKey(random: RandomSource): EstimateKey {
  return { instance: random(INSTANCE_BYTES), mac: random(MAC_KEY_BYTES) };
}

/** Writes three bytes as four characters. */
function put(bytes: Uint8Array, at: number, bits: number): void {
  bytes[at] = BASE64URL[(bits >>> 18) & 63]!;
  bytes[at + 1] = BASE64URL[(bits >>> 12) & 63]!;
  bytes[at + 2] = BASE64URL[(bits >>> 6) & 63]!;
  bytes[at + 3] = BASE64URL[bits & 63]!;
}
