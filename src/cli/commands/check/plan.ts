import type { SpendPlan } from '../../../conformance/index.ts';

/** A plan as lines for a terminal: what each partner would spend, and what cannot be judged. */
export function planTable({ batches, unplanned }: SpendPlan): string[] {
  if (batches.length === 0 && unplanned.length === 0) {
    return [
      'Each check makes a fresh partner by the control API: no allowance of the profile is spent.',
    ];
  }
  const rows = batches.map(({ partnerId, baseRequest, checks, spends }) => [
    partnerId,
    baseRequest,
    String(spends.platform),
    String(spends.user),
    String(spends.refresh),
    String(spends.codes),
    checks.some(({ needs }) => needs?.ban) ? 'yes' : '',
    checks.flatMap(({ rules }) => rules).join(' '),
  ]);
  const header = ['partner', 'requests', 'platform', 'user', 'refresh', 'codes', 'banned', 'rules'];
  return [
    'At most, refused requests included:',
    ...alignColumns([header, ...rows]),
    ...(unplanned.length > 0 ? ['', 'Not judged:'] : []),
    ...unplanned.map(
      ({ check, reason, remedy }) =>
        `  ${check.rules.join(' ')}: ${reason}; it would take ${remedy}`,
    ),
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
