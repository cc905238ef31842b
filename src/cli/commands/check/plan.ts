import type { SpendPlan } from '../../../conformance/index.ts';

/** Renders a plan for a terminal: what each partner would spend, and which rules are not judged. */
export function planTable({ batches, unplanned }: SpendPlan): string[] {
  if (batches.length === 0 && unplanned.length === 0) {
    return [
      'Each check creates a fresh partner through the control API: the profile spends nothing.',
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
    'Maximum spend, including refused requests:',
    ...alignColumns([header, ...rows]),
    ...(unplanned.length > 0 ? ['', 'Not judged:'] : []),
    ...unplanned.map(
      ({ check, reason, remedy }) => `  ${check.rules.join(' ')}: ${reason}; needs ${remedy}`,
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
