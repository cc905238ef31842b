import type { ConformanceDocument } from '../../documents/conformance.ts';
import type { Exchange } from '../../documents/exchange.ts';
import { cutAnswer } from './wire/cut-answer.ts';

/** Bytes of a run's document, which stays below 5 MB with what the command line adds. */
const MOST_BYTES = 4_900_000;

/**
 * Bytes of an accepted answer, or one that shows a violation, from which it is left out: those of a service that
 * follows the interface have fewer, and judging again needs them. If many requests alone take the space, the document is larger.
 */
const LEAST_SAVED_BYTES = 900;

/** Spaces by which `run.json` is indented, except for exchanges. */
const INDENT = 2;

/** Fields of a document that point to exchanges, and others. */
type OtherFields = Pick<ConformanceDocument, 'rules' | 'diagnosis'>;

/** Line break, indentation and comma of an exchange in `run.json`. */
const BYTES_BETWEEN = 6;

/**
 * Leaves out answers until the document of a run is small enough. The least useful ones go first: those
 * of rules that are not broken, then those of broken rules, at last those that show a violation. Among
 * them, those go first that judging again needs least: what is cut already, then refusals, of which the
 * status is enough, then long estimates, then long tokens. Of equal ones the longest goes first, then the
 * oldest.
 *
 * @param exchanges of the document, in order of sending, redacted
 * @param others its other fields
 */
export function cutToSize(
  exchanges: readonly Exchange[],
  others: OtherFields,
  mostBytes: number = MOST_BYTES,
): readonly Exchange[] {
  const sizes = exchanges.map((one) => sizeOf(one) + BYTES_BETWEEN);
  const bytesOfOthers = Buffer.byteLength(JSON.stringify(others, null, INDENT));
  let excess = sizes.reduce((sum, bytes) => sum + bytes, bytesOfOthers) - mostBytes;
  if (excess <= 0) return exchanges;
  const useOf = usesOf(others);
  const order = exchanges
    .map((one, at) => ({ at, use: useOf(one.id), need: needOf(one), bytes: sizes[at] ?? 0 }))
    .sort((a, b) => a.use - b.use || a.need - b.need || b.bytes - a.bytes || a.at - b.at);
  const kept = [...exchanges];
  for (const { at, need, use } of order) {
    const one = kept[at];
    if (excess <= 0) break;
    if (!one?.response) continue;
    const without = { ...one, response: cutAnswer(one.response, '', {}) };
    const saved = sizeOf(one) - sizeOf(without);
    const isNeeded = need === NEEDS.estimate || need === NEEDS.token || use === USES.violation;
    if (saved <= (isNeeded ? LEAST_SAVED_BYTES : 0)) continue;
    kept[at] = without;
    excess -= saved;
  }
  return kept;
}

const NEEDS = { cut: 0, refusal: 1, estimate: 2, token: 3 } as const;

/** Rank of an answer by how much judging again needs it. */
function needOf({ request, response }: Exchange): number {
  if (response?.cut) return NEEDS.cut;
  if (response?.status !== 200) return NEEDS.refusal;
  return request.method === 'GET' ? NEEDS.estimate : NEEDS.token;
}

const USES = { other: 0, brokenRule: 1, violation: 2 } as const;

function usesOf({ rules, diagnosis }: OtherFields): (id: string) => number {
  const uses = new Map<string, number>();
  const raise = (id: string, use: number): void => {
    uses.set(id, Math.max(use, uses.get(id) ?? USES.other));
  };
  for (const { exchanges, shownBy } of rules) {
    if (shownBy === undefined) continue;
    for (const id of exchanges) raise(id, USES.brokenRule);
    raise(shownBy, USES.violation);
  }
  if (diagnosis?.exchange !== undefined) raise(diagnosis.exchange, USES.violation);
  return (id) => uses.get(id) ?? USES.other;
}

function sizeOf(exchange: Exchange): number {
  return Buffer.byteLength(JSON.stringify(exchange));
}
