import { describe, expect, it } from 'vitest';
import { readBrokerAddress } from '../../../../src/load/agents/nats/broker-address.ts';
import { requireAgentName } from '../../../../src/load/agents/nats/subjects.ts';

describe('readBrokerAddress', () => {
  it.each([
    ['nats://broker', 'broker:4222', false, 'default'],
    ['nats://broker:80/', 'broker:80', false, 'default'],
    ['tls://10.0.0.1:4443/team-a', '10.0.0.1:4443', true, 'team-a'],
    ['tls://[::1]:4222/a_1/', '[::1]:4222', true, 'a_1'],
  ])('reads %s', (url, server, isSecure, group) => {
    expect(readBrokerAddress(url, '--via')).toMatchObject({ server, isSecure, group });
  });

  it.each([
    'broker:4222',
    'http://broker',
    'nats://',
    'nats://broker/a.b',
    'nats://broker/a/b',
    'nats://broker?x',
    'nats://bro ker',
  ])('refuses %s', (url) => {
    expect(() => readBrokerAddress(url, '--via')).toThrow(
      expect.objectContaining({ code: 'BROKER_URL', message: expect.stringMatching(/^--via: /) }),
    );
  });

  it.each(['nats://sam:secret@broker', 'tls://secret@broker/x', 'sam:secret@broker'])(
    'refuses %s, and does not quote it',
    (url) => {
      const refusal = expect.objectContaining({
        code: 'BROKER_URL',
        message: expect.not.stringContaining('secret'),
      });
      expect(() => readBrokerAddress(url, '--via')).toThrow(refusal);
    },
  );
});

describe('the name of an agent', () => {
  it('is one token of a subject', () => {
    expect(requireAgentName('rack-3_b')).toBe('rack-3_b');
    for (const name of ['', 'a.b', '*', '>', 'a b', 'ä', 'x'.repeat(65)]) {
      expect(() => requireAgentName(name)).toThrow(expect.objectContaining({ code: 'AGENT_NAME' }));
    }
  });
});
