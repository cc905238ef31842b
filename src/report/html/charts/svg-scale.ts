/** Maps a value to a share of a plot's width or height, as an SVG percentage. */
export type Scale = (value: number) => string;

/** A linear scale from low to high; an empty span puts everything in the middle. */
export function linearScale(low: number, high: number, margin = 0.04): Scale {
  const span = high - low;
  return (value) => percent(span > 0 ? margin + ((value - low) / span) * (1 - 2 * margin) : 0.5);
}

/** A linear scale that grows upwards, as a y axis does. */
export function upwardScale(low: number, high: number, margin = 0.08): Scale {
  const span = high - low;
  return (value) =>
    percent(span > 0 ? 1 - margin - ((value - low) / span) * (1 - 2 * margin) : 0.5);
}

function percent(share: number): string {
  return `${Number((Math.min(1, Math.max(0, share)) * 100).toFixed(2))}%`;
}

/** Round steps of 1, 2 or 5 within low and high, about `wanted` of them. */
export function roundTicks(low: number, high: number, wanted: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const raw = span / wanted;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((each) => each >= raw) ?? raw;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high + step / 1e6; at += 1) {
    ticks.push(Number((at * step).toPrecision(12)));
  }
  return ticks;
}
