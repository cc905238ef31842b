import type { LiveView } from '../../../src/report/live/page.ts';

/** Reads the views beside a live page until its stream ends, or until one of them is enough. */
export async function readLive(
  url: string,
  options: { until?: (view: LiveView) => boolean; onOpen?: () => void } = {},
): Promise<{ text: string; views: LiveView[] }> {
  const ending = new AbortController();
  const response = await fetch(`${url}events`, { signal: ending.signal });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  options.onOpen?.();
  let text = '';
  let readLength = 0;
  const views: LiveView[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n\n') + 2;
    const news = end > readLength ? viewsIn(text.slice(readLength, end)) : [];
    views.push(...news);
    readLength = Math.max(readLength, end);
    if (news.some((view) => options.until?.(view))) break;
  }
  ending.abort();
  return { text, views };
}

function viewsIn(text: string): LiveView[] {
  return [...text.matchAll(/^data: (.*)\n\n/gm)].map(
    ([, data]) => JSON.parse(data ?? '') as LiveView,
  );
}

/** Text of the elements that a reader sees in a view, or of those that a pattern finds. */
export function wordsOf({ markup }: Pick<LiveView, 'markup'>, element = /[\s\S]+/g): string[] {
  return [...markup.matchAll(element)].map(([found]) =>
    found
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

/** The requests that a view lists, in their order. */
export function requestsOf(view: Pick<LiveView, 'markup'>): string[] {
  return wordsOf(view, /<li class="rule live-row[^>]*id="request-[\s\S]*?<\/li>/g).toReversed();
}
