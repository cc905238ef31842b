import { groupedBy } from '../../model/asked.ts';
import type { RequestStep } from '../contract/walk.ts';
import { RIGHT_ROWS } from './right-rows.ts';
import { isFor, type Meaning, type Row } from './row.ts';
import { SIGNATURE_ROWS } from './signature-rows.ts';
import { VARIANT_ROWS } from './variant-rows.ts';
import { WRONG_ROWS } from './wrong-rows.ts';

const ROWS: readonly Row[] = [...RIGHT_ROWS, ...WRONG_ROWS, ...VARIANT_ROWS, ...SIGNATURE_ROWS];

/** Rows that a request may have, by name, one map for each kind of request. */
const BY_REQUEST = new Map<string, ReadonlyMap<string, Row>>();

function rowsOf(step: RequestStep): ReadonlyMap<string, Row> {
  const kind = step.do === 'token' ? step.grant : `${step.as}-estimate`;
  const known = BY_REQUEST.get(kind);
  if (known) return known;
  const rows = new Map(ROWS.filter((row) => isFor(row, step)).map((row) => [row.name, row]));
  BY_REQUEST.set(kind, rows);
  return rows;
}

/** The row of a twist; undefined for one that this version does not have, or that is for other requests. */
export const rowOf = (step: RequestStep, name: string): Row | undefined => rowsOf(step).get(name);

/** Groups of rows that a request may have, by what they mean. */
export function rowsFor(step: RequestStep, meaning: Meaning): readonly (readonly Row[])[] {
  const rows = [...rowsOf(step).values()].filter(({ is }) => is === meaning);
  return [...groupedBy(rows, ({ rule, group = rule }) => group).values()];
}

/** Names that stand twice for a request, of which only the last row can be drawn. */
export const doubleNames = (step: RequestStep): string[] => {
  const names = ROWS.filter((row) => isFor(row, step)).map(({ name }) => name);
  return names.filter((name, at) => names.indexOf(name) !== at);
};
