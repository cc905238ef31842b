import { createCurve } from '@nats-io/nkeys';
import { describe, expect, it } from 'vitest';
import { Envelope } from '../../../../src/load/agents/nats/envelope.ts';

const [controllerKey, agentKey] = [createCurve(), createCurve()];
const controller = Envelope.between(controllerKey, agentKey.getPublicKey())!;
const agent = Envelope.between(agentKey, controllerKey.getPublicKey())!;

const prepare = { number: 1, message: { kind: 'prepare', accessToken: 'access-7' } };

describe('an envelope', () => {
  it.each(['prepare', 'token', 'resume', 'report', 'failed', 'start', 'update'])(
    'of a message "%s" is opened by its receiver',
    (kind) => {
      const numbered = { number: 3, message: { kind, text: 'long '.repeat(1000) } };
      expect(agent.open(controller.pack(numbered))).toEqual(numbered);
    },
  );

  it.each(['prepare', 'token', 'resume', 'report', 'failed'])(
    'of a message "%s" is opened by nobody else',
    (kind) => {
      const packed = controller.pack({ number: 1, message: { kind } });
      const other = Envelope.between(createCurve(), controllerKey.getPublicKey())!;
      expect(other.open(packed)).toBeNull();
    },
  );

  it('is not opened if a third one sealed it', () => {
    const third = Envelope.between(createCurve(), agentKey.getPublicKey())!;
    expect(agent.open(third.pack(prepare))).toBeNull();
  });

  it('is not opened if it ought to be sealed and is not', () => {
    const clear = controller.pack({ number: 1, message: { kind: 'start' } });
    expect(agent.open(clear)).not.toBeNull();
    const sealed = controller.pack(prepare);
    sealed[0] = 0;
    expect(agent.open(sealed)).toBeNull();
  });

  it.each([Buffer.of(), Buffer.of(0), Buffer.of(1), Buffer.from('0{}'), Buffer.of(2, 3)])(
    'is not %j',
    (bytes) => {
      expect(agent.open(bytes)).toBeNull();
    },
  );

  it('needs a public curve key', () => {
    expect(Envelope.between(controllerKey, 'XABC')).toBeNull();
  });
});
