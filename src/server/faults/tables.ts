import type { ServiceRuleId } from '../../interface/index.ts';
import type { FaultDefinition, FaultForms } from './fault.ts';

/** The forms of a rule, each from a row of a table. */
export function named<Row>(
  rule: ServiceRuleId,
  rows: Readonly<Record<string, Row>>,
  define: (row: Row) => FaultDefinition,
): FaultForms {
  return Object.fromEntries(
    Object.entries(rows).map(([form, row]) => [`${rule}#${form}`, define(row)]),
  );
}

/** The forms of several rules, each from a row of the rule's table. */
export function tableOf<Row, Rule extends ServiceRuleId>(
  table: Readonly<Partial<Record<Rule, Readonly<Record<string, Row>>>>>,
  define: (rule: Rule, row: Row) => FaultDefinition,
): FaultForms {
  const rules = Object.entries(table) as [Rule, Readonly<Record<string, Row>>][];
  return joined(rules.map(([rule, rows]) => named(rule, rows, (row) => define(rule, row))));
}

/** The forms of several tables. */
export function joined(tables: readonly FaultForms[]): FaultForms {
  return Object.fromEntries(tables.flatMap((forms) => Object.entries(forms)));
}
