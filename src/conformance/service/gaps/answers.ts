import type { Exchange } from '../../../documents/exchange.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';

/** An exchange that was answered, its answer read. */
export interface Answered {
  readonly exchange: Exchange;
  readonly status: number;
  readonly path: string;
  readonly json: unknown;
}

/** Reads one; a base URL may have a path prefix: the end of the path tells the endpoint. */
export function readAnswer(exchange: Exchange): Answered {
  const { response, request } = exchange;
  const path = request.url.replace(/[?#].*$/s, '');
  const known = [TOKEN_PATH, ESTIMATES_PATH].find((one) => path.endsWith(one));
  return {
    exchange,
    status: response?.status ?? 0,
    path: known ?? path,
    json: parseJson(response?.body ?? ''),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Each once, the most frequent first; of equals the smaller. */
export function byFrequency<T extends number | string>(list: readonly T[]): T[] {
  const counts = new Map<T, number>();
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts]
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([one]) => one);
}

/** A name as a target writes it, short and on one line. */
export function plain(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?').slice(0, 40);
}
