import { describeLeftOut, type ServicePlan } from '../../../conformance/index.ts';

/** Renders a plan for a terminal: what each partner would spend, and what is not judged or left out. */
export function planTable({ batches, unplanned, leftOut }: ServicePlan): string[] {
  if (batches.length === 0 && unplanned.length === 0) {
    return [
      'Each check creates a fresh partner through the control API: the profile spends nothing.',
    ];
  }
  const rows = batches.map(({ partnerId, name, checks, spends }) => [
    partnerId,
    name,
    String(spends.platform),
    String(spends.user),
    String(spends.refresh),
    String(spends.codes),
    checks.some(({ needs }) => needs?.ban) ? 'yes' : '',
    [...new Set(checks.flatMap(({ rules }) => rules))].join(' '),
  ]);
  const header = ['partner', 'requests', 'platform', 'user', 'refresh', 'codes', 'banned', 'rules'];
  return [
    'Maximum spend, including refused requests:',
    ...alignColumns([header, ...rows]),
    ...(unplanned.length > 0 ? ['', 'Not judged:'] : []),
    ...unplanned.map(
      ({ check, reason, remedy }) =>
        `  ${check.rules.join(' ')}: ${reason}; to judge it, ${remedy}`,
    ),
    ...(leftOut.length > 0
      ? ['', 'Left out of rules that are judged, for want of allowance:']
      : []),
    ...leftOut.map((one) => `  ${describeLeftOut(one)}`),
  ];
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const last = widths.length - 1;
  return rows.map((row) =>
    row
      .map((cell, at) => (at === last ? cell : cell.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd(),
  );
}
