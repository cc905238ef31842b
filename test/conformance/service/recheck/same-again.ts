import { expect } from 'vitest';
import { recheckService, type ServiceResult } from '../../../../src/conformance/index.ts';

/** A document that a test may change. */
export type Writable<T> = T extends object ? { -readonly [Key in keyof T]: Writable<T[Key]> } : T;

/** The document as read from a file. */
export const stored = <R extends ServiceResult>(result: R): Writable<R> =>
  JSON.parse(JSON.stringify(result)) as Writable<R>;

const verdictsOf = ({ rules }: Pick<ServiceResult, 'rules'>): unknown =>
  Object.fromEntries(rules.map(({ id, verdict, reason }) => [id, `${verdict}: ${reason}`]));

/** Parts of secrets that are hidden in answers and in our own words, where no service here shows any. */
function partsIn({ exchanges, rules, gaps, notes }: ServiceResult): string[] {
  const answers = exchanges.map(({ purpose, response }) => ({ purpose, response }));
  return JSON.stringify({ answers, rules, gaps, notes }).match(/\[part of [^\]]*\]/g) ?? [];
}

/** Judges a stored run again; it must come out the same. Nothing in it is hidden that is no secret. */
export async function expectSameAgain(result: ServiceResult): Promise<void> {
  expect(partsIn(result)).toEqual([]);
  const again = await recheckService(stored(result));
  expect(verdictsOf(again)).toEqual(verdictsOf(result));
  expect(again.summary).toEqual(result.summary);
  expect(again.verdict).toBe(result.verdict);
  expect(again.complete).toBe(result.complete);
}
