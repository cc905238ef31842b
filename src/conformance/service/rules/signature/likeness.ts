import { type Answer, describeAnswer, type Fields } from '../../contract/messages.ts';

/** Fields of a body by which a service names the reason of a refusal. */
const REASON =
  /^(code|type|status|title|reason|why|detail|message|msg|err|errno|error|(err|error|sub)_?(code|no|msg|message|description|type))$/i;

/** Depth to which a body is searched for them. */
const DEPTH = 4;

/**
 * Checks whether two refusals have the same status, and name the same reason as far as their bodies
 * show. Times, ids and other values that change from answer to answer do not matter.
 */
export function isSameRefusal(one: Answer, other: Answer): boolean {
  return one.status === other.status && reasonOf(one) === reasonOf(other);
}

function reasonOf({ json, body }: Answer): string {
  const reasons = reasonsIn(json, DEPTH);
  const text = reasons.length > 0 ? reasons.join('\n') : body;
  return text
    .toLowerCase()
    .replace(/\d{4}-\d\d-\d\d\S*/g, '#')
    .replace(/\b[0-9a-z_-]*\d[0-9a-z_-]*\b/g, (word) => (word.length > 6 ? '#' : word));
}

function reasonsIn(value: unknown, depth: number): string[] {
  if (value === null || typeof value !== 'object' || depth === 0) return [];
  return Object.entries(value as Fields).flatMap(([name, one]) => {
    if (one !== null && typeof one === 'object') return reasonsIn(one, depth - 1);
    return REASON.test(name) ? [`${name}: ${String(one)}`] : [];
  });
}

/** Doubt about a refusal that differs from that of a wrong signature. */
export const notSigned = (unsigned: Answer): string =>
  unsigned.outcome === 'refused'
    ? `and otherwise than a wrong signature (${describeAnswer(unsigned)}): the target may refuse such a value for itself`
    : 'while a wrong signature was accepted';

/** Checks whether all fields are words and short texts, which no target refuses for themselves. */
export const isOrdinary = (fields: Fields): boolean =>
  Object.entries(fields).every(
    ([name, value]) =>
      /^\w+$/.test(name) && typeof value === 'string' && /^[\w .,-]{1,40}$/.test(value),
  );
