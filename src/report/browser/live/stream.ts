import type { LiveEvent } from '../../live/events.ts';

/** Who is told of what comes. */
export interface StreamListener {
  onEvent(event: LiveEvent): void;
  /** `lost` while it is tried again, `gone` once that is given up. */
  onState(state: 'open' | 'lost' | 'gone'): void;
}

/** After so many attempts in a row the command is taken to be gone. */
const MOST_ATTEMPTS = 8;

/** Reads the stream of events beside the page until it ends; what is missed is told again. */
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
    const isGone = source.readyState === EventSource.CLOSED || attempts >= MOST_ATTEMPTS;
    if (isGone) source.close();
    listener.onState(isGone ? 'gone' : 'lost');
  });
}
