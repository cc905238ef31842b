import { request } from 'node:https';
import { connect } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../src/server/index.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { ca: LOOPBACK_TLS.cert, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('TLS', () => {
  it('works, survives plain text, and stops', async () => {
    const server = await startServer({ tls: LOOPBACK_TLS });
    expect(server.baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await statusOf(`${server.baseUrl}/healthz`)).toBe(200);
    const plain = connect(server.port, '127.0.0.1').on('error', () => {});
    plain.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => plain.once('close', resolve));
    expect(await statusOf(`${server.baseUrl}/healthz`)).toBe(200);
    const silent = connect(server.port, '127.0.0.1').on('error', () => {});
    await new Promise((resolve) => silent.once('connect', resolve));
    await server.close(50);
    silent.destroy();
    await expect(statusOf(`${server.baseUrl}/healthz`)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  it.each<[string, ConnectionOptions, string]>([
    ['TLS 1.3', {}, 'TLS_AES_128_GCM_SHA256'],
    ['TLS 1.2', { maxVersion: 'TLSv1.2' }, 'ECDHE-ECDSA-AES128-GCM-SHA256'],
    ['a client without it', { ciphers: 'TLS_AES_256_GCM_SHA384' }, 'TLS_AES_256_GCM_SHA384'],
  ])('prefers AES-128: %s', async (_, options, cipher) => {
    const server = await startServer({ tls: LOOPBACK_TLS });
    onTestFinished(() => server.close(0));
    const host = '127.0.0.1';
    const socket = connectTls({ ...options, host, port: server.port, ca: LOOPBACK_TLS.cert });
    await new Promise((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject);
    });
    expect(socket.getCipher().name).toBe(cipher);
    socket.destroy();
  });
});
