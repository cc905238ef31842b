import type { Fields, TokenAnswer } from '../../contract/messages.ts';

/** Compares scopes: a list separated by spaces, whose order does not matter. */
export function sameScopes(echoed: unknown, asked: string): boolean {
  if (typeof echoed !== 'string') return false;
  const list = (text: string): string => [...new Set(text.trim().split(/\s+/))].sort().join(' ');
  return list(echoed) === list(asked);
}

/** A field of the answer's body as it came. */
export function fieldOf({ json }: TokenAnswer, field: string): unknown {
  return json !== null && typeof json === 'object' ? (json as Fields)[field] : undefined;
}
