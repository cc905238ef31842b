/** A number without an exponent, which k6's expressions do not know; nine digits behind the point. */
export function inDecimals(value: number): string {
  return value.toFixed(9).replace(/\.?0+$/, '');
}

/** A duration as k6 reads it. */
export function k6Duration(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${inDecimals(ms)}ms`;
}
