import type { RequestStep } from '../contract/walk.ts';
import { RIGHT_ROWS } from './right-rows.ts';
import type { Row } from './row.ts';
import { SIGNATURE_ROWS } from './signature-rows.ts';
import { WRONG_ROWS } from './wrong-rows.ts';

const ROWS: readonly Row[] = [...RIGHT_ROWS, ...WRONG_ROWS, ...SIGNATURE_ROWS];

const keyOf = (on: RequestStep['do'], name: string): string => `${on} ${name}`;

const BY_NAME = new Map(ROWS.map((row) => [keyOf(row.on, row.name), row]));

/** The row of a twist; undefined for one that this version does not have. */
export function rowOf(step: RequestStep, name: string): Row | undefined {
  return BY_NAME.get(keyOf(step.do, name));
}

/** Rows of each rule that a request may have, by what they mean. */
export function rowsFor(step: RequestStep, meaning: Row['is']): readonly (readonly Row[])[] {
  const key = [step.do, step.do === 'token' ? step.grant : step.as, meaning].join(' ');
  const known = BY_REQUEST.get(key);
  if (known) return known;
  const byRule = new Map<string, Row[]>();
  for (const row of ROWS) {
    if (row.on !== step.do || row.is !== meaning || !(row.for?.(step) ?? true)) continue;
    byRule.set(row.rule, [...(byRule.get(row.rule) ?? []), row]);
  }
  const rows = [...byRule.values()];
  BY_REQUEST.set(key, rows);
  return rows;
}

const BY_REQUEST = new Map<string, readonly (readonly Row[])[]>();

/** Names that stand twice, of which only the last row can be drawn by its name. */
export const doubleNames = (): string[] => {
  const names = ROWS.map((row) => keyOf(row.on, row.name));
  return names.filter((name, at) => names.indexOf(name) !== at);
};
