import { createCurve } from '@nats-io/nkeys';
import type { Broker } from '../../../../src/load/agents/nats/broker.ts';
import { Subjects } from '../../../../src/load/agents/nats/subjects.ts';
import { Deferred } from '../../../../src/load/deferred.ts';

type Take = (message: unknown) => void;

/** A broker within this process, with a stream, that can lose its connection. */
export function memoryBroker() {
  const subscribers = new Map<string, { take: Take; onNobody?: () => void }>();
  const readers = new Map<string, (bytes: Uint8Array) => void>();
  const acts = new Set<() => void>();
  const stream: { subject: string; bytes: Uint8Array; id: string }[] = [];
  const failure = new Deferred<never>();
  const state = { reconnects: 0, isConnected: true, payloadBytes: 4096 };
  const find = (subject: string) =>
    subscribers.get(subject) ?? subscribers.get(subject.replace(/(\.join\.).*/, '$1*'));
  const broker = {
    subjects: new Subjects('group'),
    get payloadBytes() {
      return state.payloadBytes;
    },
    get reconnects() {
      return state.reconnects;
    },
    get isConnected() {
      return state.isConnected;
    },
    failed: failure.promise,
    createKey: () => createCurve(),
    onReconnect: (act: () => void) => {
      acts.add(act);
      return () => void acts.delete(act);
    },
    finishBeforeClose: () => undefined,
    subscribe: (subject: string, take: Take, more: { onNobody?: () => void } = {}) => {
      subscribers.set(subject, { take, ...more });
      return () => void subscribers.delete(subject);
    },
    publish: (subject: string, data: Uint8Array, reply?: string) => {
      if (!state.isConnected) return;
      const subscriber = find(subject);
      if (subscriber) subscriber.take({ subject, data });
      else if (reply !== undefined) subscribers.get(reply)?.onNobody?.();
    },
    request: (subject: string, data: Uint8Array) =>
      new Promise<Uint8Array | null>((resolve) => {
        const subscriber = find(subject);
        if (!subscriber) return resolve(null);
        subscriber.take({ subject, data, respond: resolve });
        setImmediate(() => resolve(null));
      }),
    store: async (subject: string, bytes: Uint8Array, id: string) => {
      if (stream.some((one) => one.id === id)) return;
      stream.push({ subject, bytes, id });
      readers.get(subject)?.(bytes);
    },
    read: (subject: string, take: (bytes: Uint8Array) => void) => {
      const open = (): void => {
        for (const one of stream.filter((held) => held.subject === subject)) take(one.bytes);
      };
      acts.add(open);
      readers.set(subject, take);
      open();
      return () => {
        acts.delete(open);
        readers.delete(subject);
      };
    },
  } as unknown as Broker;
  return {
    broker,
    state,
    stream,
    fail: () => failure.reject(new Error('gone')),
    /** Makes the connection anew; the stream keeps what it holds, unless its memory is lost. */
    reconnect: ({ isMemoryLost = false } = {}) => {
      if (isMemoryLost) stream.length = 0;
      state.reconnects++;
      for (const act of acts) act();
    },
  };
}
