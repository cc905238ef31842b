import type { TokenAnswer } from '../../contract/answer.ts';
import type { Fields } from '../../contract/request.ts';

/** Scopes are a list separated by spaces: their order does not matter. */
export function sameScopes(echoed: unknown, asked: string): boolean {
  if (typeof echoed !== 'string') return false;
  const list = (text: string): string => [...new Set(text.trim().split(/\s+/))].sort().join(' ');
  return list(echoed) === list(asked);
}

/** A field of the answer's body as it came. */
export function fieldOf(answer: TokenAnswer, field: string): unknown {
  const { json } = answer;
  return json !== null && typeof json === 'object' ? (json as Fields)[field] : undefined;
}

/** A value as a reader may see it; never a secret, since no token is shown. */
export function show(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
