import type { ComparisonDocument } from '../../../documents/comparison.ts';
import { formatShift, type NamedShift, namedShifts, shiftWords } from '../../text/quantities.ts';
import { shortText } from '../blocks.ts';
import { type Content, html, type Markup } from '../markup.ts';
import { linearScale, roundTicks, rowsClass, type Scale } from './dot-plots.ts';

/** Each shift with its confidence interval, and the margin as a band; null without shifts. */
export function shiftPlot(document: ComparisonDocument, limit: number): Content {
  const { marginPercent = 0, steps } = document;
  const shifts = namedShifts(document).slice(0, limit);
  if (shifts.length === 0) return null;
  const ends = shifts.flatMap(({ low, high }) => [-low, high]);
  const reach = ends.reduce((most, end) => Math.max(most, end), Math.max(1, marginPercent * 1.2));
  const x = linearScale(-reach, reach);
  const ticks = roundTicks(-reach, reach, 6);
  const band = marginPercent > 0 ? `; band: margin of ±${marginPercent} %` : '';
  return html`<figure class="chart">
    <figcaption><b>Shift of the candidate from the base</b>
    <span class="meta">Left is faster. Dot: estimate; line: confidence interval${band}.</span>
    </figcaption>
    <div class="${rowsClass(steps)}">${shifts.map((shift) => shiftRow(shift, x, marginPercent))}
    <div class="row axis" aria-hidden="true"><span></span>
    <svg class="strip">${ticks.map((tick) => tickLabel(tick, x))}</svg><span></span>
    </div></div>
    </figure>`;
}

function tickLabel(tick: number, x: Scale): Markup {
  const words = formatShift(tick).replace('.0', '').replace('±', '');
  return html`<text class="tick" x="${x(tick)}" y="14" text-anchor="middle">${words}</text>`;
}

function shiftRow(shift: NamedShift, x: Scale, margin: number): Markup {
  const { shiftPercent, low, high } = shift;
  const tone = low > margin ? 'bad' : high < -margin ? 'good' : 'plain';
  const words = shiftWords(shift);
  const name = shortText(shift.name, 200);
  return html`<div class="row">
    <span class="row-name">${name}</span>
    <svg class="strip" role="img" aria-label="${name}: ${words}">
    ${margin > 0 && marginBand(x(-margin), x(margin))}
    <line class="zero" x1="${x(0)}" x2="${x(0)}" y1="0" y2="100%"/>
    <line class="whisker ${tone}" x1="${x(low)}" x2="${x(high)}" y1="50%" y2="50%"/>
    <circle class="estimate ${tone}" cx="${x(shiftPercent)}" cy="50%" r="5"/>
    </svg>
    <span class="row-value">${words}</span>
    </div>`;
}

function marginBand(from: string, to: string): Markup {
  const width = (Number.parseFloat(to) - Number.parseFloat(from)).toFixed(2);
  return html`<rect class="band" x="${from}" width="${width}%" y="0" height="100%"/>`;
}
