import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ViewStreams } from '../../../src/report/live/streams.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A reader of a stream; what it does not read stays in the buffer. */
class Reader extends EventEmitter {
  readonly received: string[] = [];
  writableNeedDrain = false;
  write(text: string): boolean {
    this.received.push(text);
    return true;
  }
  end(done: () => void): void {
    done();
  }
  get views(): string[] {
    return this.received.filter((text) => text.startsWith('data: '));
  }
}

const REQUEST = { socket: { setNoDelay: () => undefined } } as unknown as IncomingMessage;

function streams() {
  let changes = 0;
  const render = vi.fn<() => number>(() => changes);
  const open = new ViewStreams(render, {});
  return {
    open,
    render,
    join: (reader: Reader) => open.add(REQUEST, reader as unknown as ServerResponse),
    change: (times = 1) => {
      for (let at = 0; at < times; at++) {
        changes += 1;
        open.changed();
      }
    },
  };
}

it('renders nothing while no page is open', async () => {
  const { open, render, change } = streams();
  change(1000);
  vi.advanceTimersByTime(10_000);
  expect(render).not.toHaveBeenCalled();
  await open.close();
});

it('renders once a second for all pages, however many changes come', async () => {
  const { open, render, join, change } = streams();
  const readers = [new Reader(), new Reader()];
  readers.forEach(join);
  for (let tenth = 0; tenth < 50; tenth++) {
    change(20);
    vi.advanceTimersByTime(100);
  }
  expect(render.mock.calls.length).toBe(6);
  expect(readers[0]?.views.at(-1)).toBe('data: 1000\n\n');
  expect(readers[1]?.views.at(-1)).toBe('data: 1000\n\n');
  vi.advanceTimersByTime(10_000);
  expect(render.mock.calls.length).toBe(6);
  await open.close();
});

it('sends nothing more to a reader that does not read, and then the latest', async () => {
  const { open, join, change } = streams();
  const [lazy, eager] = [new Reader(), new Reader()];
  [lazy, eager].forEach(join);
  vi.advanceTimersByTime(1000);
  lazy.writableNeedDrain = true;
  for (let second = 0; second < 5; second++) {
    change();
    vi.advanceTimersByTime(1000);
  }
  expect([lazy.views.length, eager.views.length]).toEqual([1, 6]);
  lazy.writableNeedDrain = false;
  vi.advanceTimersByTime(1000);
  expect(lazy.views.at(-1)).toBe('data: 5\n\n');
  await open.close();
});

it('sends the last view when it closes, before the interval is over', async () => {
  const { open, join, change } = streams();
  const reader = new Reader();
  join(reader);
  change(3);
  await open.close();
  expect(reader.views.at(-1)).toBe('data: 3\n\n');
});

it('forgets a page that was closed', async () => {
  const { open, render, join, change } = streams();
  const reader = new Reader();
  join(reader);
  reader.emit('close');
  vi.advanceTimersByTime(1000);
  change();
  vi.advanceTimersByTime(1000);
  expect(render).toHaveBeenCalledOnce();
  await open.close();
});
