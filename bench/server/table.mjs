/** @typedef {import('./measure-load.mjs').Measured} Measured */

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Median with minimum and maximum. @param {number[]} values @param {number} digits */
function spread(values, digits) {
  if (values.length === 0) return '-';
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)}..${most.toFixed(digits)})`;
}

/**
 * Renders the figures as a Markdown table.
 *
 * @param {{ cpu: string, cores: number, node: string, loadAverage: number[], pinned: boolean }} machine
 * @param {Map<string, Measured[]>} figures by name, in the order of the rounds
 */
export function table(machine, figures) {
  const nginx = figures.get('nginx') ?? [];
  const rows = [...figures].map(([name, rounds]) => [
    name,
    spread(
      rounds.map(({ cpuUs }) => cpuUs),
      2,
    ),
    spread(over(nginx, rounds, 'cpuUs'), 3),
    spread(
      rounds.map(({ rate }) => rate),
      0,
    ),
    spread(
      rounds.map(({ p99Us }) => p99Us),
      0,
    ),
    spread(over(rounds, nginx, 'p99Us'), 2),
  ]);
  const heads = [
    'server',
    'CPU us/request',
    'CPU, nginx / server',
    'requests/s',
    'p99 us',
    'p99, server / nginx',
  ];
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const { cpu, cores, node, loadAverage, pinned } = machine;
  return [
    `${cpu}, ${cores} cores, ${pinned ? 'pinned' : 'not pinned'}, Node ${node}, load ${loadAverage.join(' ')}`,
    `median (min..max) of ${nginx.length || rows.length} rounds; ratios are within one round`,
    '',
    line(heads),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
  ].join('\n');
}

/** @param {Measured[]} above @param {Measured[]} below @param {'cpuUs' | 'rate' | 'p99Us'} key */
function over(above, below, key) {
  return above.flatMap((one, round) => {
    const other = below[round];
    return other === undefined ? [] : [one[key] / other[key]];
  });
}
