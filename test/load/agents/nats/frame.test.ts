import { randomBytes } from 'node:crypto';
import { createCurve } from '@nats-io/nkeys';
import { describe, expect, it } from 'vitest';
import { FrameSealer, SEALED_OVERHEAD } from '../../../../src/load/agents/nats/frame.ts';
import { keysOf, readJoinReply, welcome } from '../../../../src/load/agents/nats/handshake.ts';

const one = { sending: randomBytes(32), receiving: randomBytes(32) };
const here = new FrameSealer(one);
const there = new FrameSealer({ sending: one.receiving, receiving: one.sending });
const frame = { number: 7, acknowledged: 5, isLast: true, chunk: Buffer.from('token-of-a-user') };

describe('a sealed frame', () => {
  it('is opened by the other side, and shows nothing', () => {
    const sealed = here.seal(frame);
    expect(there.open(sealed)).toEqual(frame);
    expect(sealed.includes('token')).toBe(false);
    expect(sealed).toHaveLength(frame.chunk.length + SEALED_OVERHEAD);
  });

  it('is not opened if any bit of it was changed', () => {
    const sealed = here.seal(frame);
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed[index]! ^= 1;
      expect(there.open(changed)).toBeNull();
    }
    expect(there.open(sealed.subarray(0, 20))).toBeNull();
  });

  it('is not opened by the side that sealed it, nor by another session', () => {
    const sealed = here.seal(frame);
    expect(here.open(sealed)).toBeNull();
    const other = { sending: randomBytes(32), receiving: randomBytes(32) };
    expect(new FrameSealer(other).open(sealed)).toBeNull();
  });
});

describe('a welcome', () => {
  const agent = createCurve();
  const made = welcome(agent.getPublicKey(), createCurve())!;
  const reply = readJoinReply(Buffer.from(JSON.stringify(made.reply)));

  it('tells both keys to the agent, and to nobody else', () => {
    if (reply?.kind !== 'welcome') throw new Error('not a welcome');
    expect(keysOf(reply, agent)).toEqual({
      sending: made.keys.receiving,
      receiving: made.keys.sending,
    });
    expect(keysOf(reply, createCurve())).toBeNull();
    expect(keysOf({ ...reply, key: createCurve().getPublicKey() }, agent)).toBeNull();
    expect(keysOf({ ...reply, sealed: 'AAAA' }, agent)).toBeNull();
  });

  it('is not made for what is no public key', () => {
    expect(welcome('UABC', createCurve())).toBeNull();
  });
});
