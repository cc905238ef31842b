import type { BenchDocument } from '../../../documents/bench.ts';
import { formatNs } from '../../text/quantities.ts';
import { isOfWhole, STEP_COLUMNS } from '../../text/tables.ts';
import { part, table } from '../blocks.ts';
import { html, type Markup } from '../markup.ts';
import { verdictHeader } from '../verdict.ts';

/** Steps that are shown. */
const STEP_LIMIT = 60;

/** Micro-benchmarks: each step of a whole request, and the steps and requests that are measured beside it. */
export function benchSection(document: BenchDocument, id: string): Markup {
  const { whole } = document;
  const shown = document.steps.slice(0, STEP_LIMIT);
  const stepsPart = (title: string, name: string, isShown: typeof isOfWhole) => {
    const steps = shown.filter(isShown);
    return steps.length > 0 && part(title, `${id}-${name}`, table(title, STEP_COLUMNS, steps));
  };
  return html`${verdictHeader(document, id, [whole !== null && [whole.name, formatNs(whole.nsMedian)]])}
    ${stepsPart('Time by step', 'steps', isOfWhole)}
    ${stepsPart('Other steps', 'others', (step) => !isOfWhole(step))}`;
}
