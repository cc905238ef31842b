import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../../src/interface/errors.ts';
import { readBrokerAddress } from '../../../../src/load/agents/nats/broker-address.ts';
import { loadNats } from '../../../../src/load/agents/nats/packages.ts';
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

describe('packages that are not installed', () => {
  it('are named, with the command that installs them', async () => {
    const missing = Object.assign(new Error('no such package'), { code: 'ERR_MODULE_NOT_FOUND' });
    const loading = loadNats(() => Promise.reject(missing));
    await expect(loading).rejects.toBeInstanceOf(ConfigurationError);
    await expect(loading).rejects.toMatchObject({
      code: 'NATS_NOT_INSTALLED',
      message: expect.stringContaining('npm install @nats-io/transport-node'),
    });
  });

  it('are told from packages that cannot be loaded', async () => {
    const broken = new SyntaxError('broken');
    await expect(loadNats(() => Promise.reject(broken))).rejects.toBe(broken);
  });
});
