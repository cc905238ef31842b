import { type Content, html, type Markup } from '../markup.ts';

/** A row of a plot: its name, an SVG element, and its value in words. */
export function plotRow(name: Content, strip: Markup, value: string): Markup {
  return html`<div class="row">
    <span class="row-name">${name}</span>
    ${strip}
    <span class="row-value">${value}</span>
    </div>`;
}

/** Maps a value to a position in a plot, as an SVG percentage. */
export type Scale = (value: number) => string;

/** A linear scale from low to high; an empty range is in the middle. */
export function linearScale(low: number, high: number, margin = 0.04): Scale {
  const range = high - low;
  return (value) => percent(range > 0 ? margin + ((value - low) / range) * (1 - 2 * margin) : 0.5);
}

function percent(share: number): string {
  return `${Number((Math.min(1, Math.max(0, share)) * 100).toFixed(2))}%`;
}

/** Ticks at round steps of 1, 2 or 5 between low and high, about `wanted` of them. */
export function roundTicks(low: number, high: number, wanted: number): number[] {
  const range = high - low;
  if (!(range > 0) || !Number.isFinite(range)) return [low];
  const raw = range / wanted;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((each) => each >= raw) ?? raw;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high + step / 1e6; at += 1) {
    ticks.push(Number((at * step).toPrecision(12)));
  }
  return ticks;
}
