import type { Exchange } from '../../../src/documents/exchange.ts';

/** Short name of the part that sent an exchange: `CHECK#2`, or `around BATCH:close#1`. */
export function partName({ part }: Pick<Exchange, 'part'>): string {
  if (!part) return '';
  const { check, attempt, batch, step, number, form, repeat } = part;
  const sender = check === undefined ? `around ${batch?.id}:${step}` : check;
  return [
    sender,
    ...(attempt === undefined ? [] : [`~${attempt}`]),
    `#${number}`,
    ...(form === undefined ? [] : [`~form${form}`]),
    ...(repeat === undefined ? [] : [`~${repeat}`]),
  ].join('');
}
