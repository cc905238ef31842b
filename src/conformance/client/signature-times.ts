/** How far apart two readings of the clock for one request are taken to be, at most. */
const STEPS = 3000;
const SECONDS = 3;

const PARTS = /^(.*T\d{2}:?\d{2}:?)(\d{2})(?:([.,])(\d{1,9}))?(Z|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * The times just before and after a sent `_`, written in the same way: a client that reads the clock
 * once to sign and once to send has signed one of them.
 */
export function otherTimes(sent: unknown): string[] {
  const match = typeof sent === 'string' ? PARTS.exec(sent) : null;
  if (!match) return [];
  const [, head = '', second = '', mark = '.', fraction = '', offset = ''] = match;
  const scale = 10 ** fraction.length;
  const given = Number(second) * scale + Number(fraction || 0);
  const reach = fraction === '' ? SECONDS : STEPS;
  const times: string[] = [];
  for (let step = 1; step <= reach; step++) {
    for (const value of [given - step, given + step]) {
      // A minute that turns between the two is not worth the trouble.
      if (value < 0 || value >= 60 * scale) continue;
      const seconds = String(Math.floor(value / scale)).padStart(2, '0');
      const part =
        fraction === '' ? '' : mark + String(value % scale).padStart(fraction.length, '0');
      times.push(`${head}${seconds}${part}${offset}`);
    }
  }
  return times;
}
