import { describe, expect, it } from 'vitest';
import { Chaskey } from '../../../../src/server/service/estimate/chaskey.ts';
import {
  ESTIMATE_LOCKS,
  EstimateIds,
} from '../../../../src/server/service/estimate/estimate-ids.ts';
import { cryptoRandom } from '../../../../src/server/service/random.ts';
import { Partners } from '../../../../src/server/service/state/partners.ts';
import fc from '../../../support/property.ts';

const random = cryptoRandom();

describe('Chaskey-12', () => {
  it('gives the tag of the reference implementation for 24 bytes', () => {
    const key = Buffer.alloc(16);
    for (const [at, word] of [0x833d3433, 0x009f389f, 0x2398e64f, 0x417acf39].entries()) {
      key.writeUInt32LE(word, at * 4);
    }
    const message = Buffer.from(Array.from({ length: 24 }, (_, byte) => byte));
    const words = [0, 4, 8, 12, 16, 20].map((at) => message.readInt32LE(at));
    const chaskey = new Chaskey(key);
    chaskey.authenticate(...(words as [number, number, number, number, number, number]));
    expect([chaskey.tag0 >>> 0, chaskey.tag1 >>> 0]).toEqual([0x9f01c148, 0xae4fc446]);
  });
});

describe('an estimate id', () => {
  const partners = new Partners();
  const short = partners.add('short', 'k', false);
  const long = partners.add('long', 'k', true);

  it('carries partner, price and lock', () => {
    const ids = new EstimateIds(random, ESTIMATE_LOCKS);
    const time = fc.integer({ min: 1, max: 2 ** 47 });
    fc.assert(
      fc.property(
        fc.constantFrom(short, long),
        fc.nat(2 ** 31 - 1),
        time,
        (partner, fen, nowMs) => {
          const lockMs = partner === long ? 3_600_000 : 600_000;
          expect(ids.read(ids.issue(partner, fen, nowMs), partners)).toEqual({
            partner,
            priceFen: fen,
            lockedUntilMs: nowMs + lockMs,
          });
        },
      ),
    );
  });

  it('cannot be changed in any character', () => {
    const ids = new EstimateIds(random, ESTIMATE_LOCKS);
    const id = ids.issue(short, 1234, 1_790_000_000_000);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let at = 0; at < id.length; at++) {
      for (const other of alphabet) {
        if (other === id[at]) continue;
        expect(ids.read(id.slice(0, at) + other + id.slice(at + 1), partners)).toBeNull();
      }
    }
    expect(ids.read(id.slice(1), partners)).toBeNull();
    expect(ids.read(`${id}A`, partners)).toBeNull();
  });

  it('is of none where its partner is not known', () => {
    const ids = new EstimateIds(random, ESTIMATE_LOCKS);
    expect(ids.read(ids.issue(long, 1234, 1_790_000_000_000), new Partners())).toBeNull();
  });

  it('is unique in a process, and unknown to another one', () => {
    const [ids, restarted] = [
      new EstimateIds(random, ESTIMATE_LOCKS),
      new EstimateIds(random, ESTIMATE_LOCKS),
    ];
    const nowMs = 1_790_000_000_000;
    const issued = Array.from({ length: 10_000 }, () => ids.issue(short, 1, nowMs));
    const after = Array.from({ length: 10_000 }, () => restarted.issue(short, 1, nowMs));
    expect(new Set([...issued, ...after]).size).toBe(20_000);
    expect(restarted.read(issued[0] ?? '', partners)).toBeNull();
  });

  it('of any process of a server is read by every other one, and is unique among them', () => {
    const owner = new EstimateIds(random, ESTIMATE_LOCKS);
    const workers = [1, 2].map(
      (worker) => new EstimateIds(random, ESTIMATE_LOCKS, owner.keyOfWorker(worker)),
    );
    const nowMs = 1_790_000_000_000;
    const issued = [owner, ...workers].map((ids) => ids.issue(long, 99, nowMs));
    expect(new Set(issued).size).toBe(3);
    for (const reader of [owner, ...workers]) {
      for (const id of issued) {
        const lockedUntilMs = nowMs + ESTIMATE_LOCKS.longMs;
        expect(reader.read(id, partners)).toEqual({ partner: long, priceFen: 99, lockedUntilMs });
      }
    }
    const otherServer = new EstimateIds(random, ESTIMATE_LOCKS);
    for (const id of issued) expect(otherServer.read(id, partners)).toBeNull();
  });

  it('of a worker is its own though the number of the server is the highest', () => {
    const key = { instance: Buffer.alloc(6, 255), mac: random(16) };
    const owner = new EstimateIds(random, ESTIMATE_LOCKS, key);
    const { instance } = owner.keyOfWorker(1);
    expect([...instance.subarray(0, 4)]).toEqual([255, 255, 255, 255]);
    expect([...instance.subarray(4)]).not.toEqual([255, 255]);
  });
});
