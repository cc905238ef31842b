import type { LiveEvent } from '../../../src/report/live/events.ts';

/** One message of a stream. */
export interface StreamMessage {
  id: number;
  event: LiveEvent;
}

/** Reads the events beside a live page until its stream ends, or until one of them is enough. */
export async function readLive(
  url: string,
  options: { after?: number; until?: (event: LiveEvent) => boolean; onOpen?: () => void } = {},
): Promise<{ text: string; messages: StreamMessage[]; events: LiveEvent[] }> {
  const ending = new AbortController();
  const headers = options.after === undefined ? {} : { 'Last-Event-ID': String(options.after) };
  const response = await fetch(`${url}events`, { headers, signal: ending.signal });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  options.onOpen?.();
  let text = '';
  let readLength = 0;
  const messages: StreamMessage[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n\n') + 2;
    const news = end > readLength ? messagesIn(text.slice(readLength, end)) : [];
    messages.push(...news);
    readLength = Math.max(readLength, end);
    if (news.some(({ event }) => options.until?.(event))) break;
  }
  ending.abort();
  return { text, messages, events: messages.map(({ event }) => event) };
}

function messagesIn(text: string): StreamMessage[] {
  return [...text.matchAll(/^id: (\d+)\ndata: (.*)\n\n/gm)].map(([, id, data]) => ({
    id: Number(id),
    event: JSON.parse(data ?? '') as LiveEvent,
  }));
}

/** Those of one kind. */
export function ofKind<Kind extends LiveEvent['kind']>(
  events: readonly LiveEvent[],
  kind: Kind,
): Extract<LiveEvent, { kind: Kind }>[] {
  return events.filter((event) => event.kind === kind) as Extract<LiveEvent, { kind: Kind }>[];
}
