import type { BenchDocument, BenchStep } from '../../../documents/bench.ts';
import { formatNs, formatShare } from '../../text/quantities.ts';
import { isOfWhole } from '../../text/tables.ts';
import { part, shortText } from '../blocks.ts';
import { plotRow } from '../charts/dot-plots.ts';
import { html, type Markup } from '../markup.ts';
import { verdictHeader } from '../verdict.ts';

/** Steps that are shown. */
const STEP_LIMIT = 60;
/** Colours of steps in the style. */
const STEP_COLORS = 6;

/**
 * Micro-benchmarks: the time of a whole request as a bar, each step of it, and the steps and requests that
 * are measured beside it.
 */
export function benchSection(document: BenchDocument, id: string): Markup {
  const { whole } = document;
  const shown = document.steps.slice(0, STEP_LIMIT);
  const steps = shown.filter(isOfWhole);
  const others = shown.filter((step) => !isOfWhole(step));
  const largest = steps.reduce((most, { share }) => Math.max(most, share), 0);
  return html`${verdictHeader(document, id, [whole !== null && [whole.name, formatNs(whole.nsMedian)]])}
    ${
      steps.length > 0 &&
      part(
        'Time by step',
        `${id}-steps`,
        html`<svg class="bar budget" role="img" aria-label="Share of each step of the fast path">
        ${segments(steps)}
        </svg>
        <div class="rows budget-rows">${steps.map((step, at) => stepRow(step, at, largest))}</div>`,
      )
    }
    ${
      others.length > 0 &&
      part(
        'Other steps',
        `${id}-others`,
        html`<div class="rows budget-rows">${others.map(otherRow)}</div>`,
      )
    }`;
}

function segments(steps: readonly BenchStep[]): Markup[] {
  let before = 0;
  return steps.map(({ share }, at) => {
    const x = percent(before);
    before += share;
    return html`<rect class="${colorClass(at)}" x="${x}" width="${percent(share)}" height="100%"/>`;
  });
}

function stepRow({ name, nsMedian, share }: BenchStep, at: number, largest: number): Markup {
  const color = colorClass(at);
  const width = percent(share / largest);
  return plotRow(
    html`<svg class="mark" aria-hidden="true"><rect class="${color}" width="10" height="10" x="3" y="3" rx="2"/></svg> ${shortText(name, 200)}`,
    html`<svg class="strip" aria-hidden="true"><rect class="${color}" y="20%" height="60%" width="${width}" rx="2"/></svg>`,
    `${formatNs(nsMedian)} · ${formatShare(share)}`,
  );
}

function otherRow({ name, nsMedian }: BenchStep): Markup {
  return plotRow(shortText(name, 200), html`<span></span>`, formatNs(nsMedian));
}

const colorClass = (at: number): string => `step-${at % STEP_COLORS}`;

const percent = (share: number): string => `${Math.max(0, share * 100).toFixed(2)}%`;
