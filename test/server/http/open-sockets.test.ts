import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { OpenSockets } from '../../../src/server/http/open-sockets.ts';

it.each(['add', 'addRaw'] as const)('a socket that is opened is activity: %s', (add) => {
  const sockets = new OpenSockets();
  const before = sockets.activity;
  expect(sockets.activity).toBe(before);
  sockets[add](new Socket());
  expect(sockets.activity).not.toBe(before);
});
