import type { LiveEvent } from '../../live/events.ts';

/** Receiver of a stream. */
export interface StreamListener {
  onEvent(event: LiveEvent): void;
  /** `lost` while it reconnects, `gone` when it has given up. */
  onState(state: 'open' | 'lost' | 'gone'): void;
}

/** Failed attempts in a row after which it gives up. */
const MAX_ATTEMPTS = 8;

/** Reads the page's stream of events until it ends; missed events are sent again. */
export function readStream(listener: StreamListener): void {
  const source = new EventSource('events');
  let attempts = 0;
  let lastId = 0;
  source.addEventListener('open', () => {
    attempts = 0;
    listener.onState('open');
  });
  source.addEventListener('message', ({ data, lastEventId }: MessageEvent<string>) => {
    const id = Number(lastEventId);
    if (id <= lastId) return;
    lastId = id;
    const event = JSON.parse(data) as LiveEvent;
    if (event.kind === 'end') source.close();
    listener.onEvent(event);
  });
  source.addEventListener('error', () => {
    attempts += 1;
    const isGone = source.readyState === EventSource.CLOSED || attempts >= MAX_ATTEMPTS;
    if (isGone) source.close();
    listener.onState(isGone ? 'gone' : 'lost');
  });
}
