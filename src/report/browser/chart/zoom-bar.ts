import type { Drawn } from './draw-chart.ts';

interface Span {
  min: number;
  max: number;
}

/** Starts the zoom buttons of a group of charts, for use without a mouse. */
export function startZoomBar(bar: HTMLElement, charts: () => Drawn[]): void {
  const status = bar.querySelector('.zoom-span');
  bar.hidden = false;
  for (const button of bar.querySelectorAll<HTMLButtonElement>('[data-zoom]')) {
    button.addEventListener('click', () => {
      const [first] = charts();
      if (!first) return;
      const span = moved(button.dataset['zoom'] ?? '', current(first), first.span);
      for (const chart of charts()) chart.plot.setScale('x', span);
    });
  }
  bar.addEventListener('zoomed', () => {
    const [first] = charts();
    if (!first || !status) return;
    const { min, max } = current(first);
    const whole = min <= first.span.min && max >= first.span.max;
    status.textContent = whole ? '' : `Shown: ${first.words(min)} to ${first.words(max)}`;
  });
}

function current({ plot, span }: Drawn): Span {
  const { min, max } = plot.scales['x'] ?? {};
  return { min: min ?? span.min, max: max ?? span.max };
}

function moved(action: string, { min, max }: Span, whole: Span): Span {
  const width = max - min;
  const middle = (min + max) / 2;
  const around = (half: number): Span => within({ min: middle - half, max: middle + half }, whole);
  if (action === 'in') return around(Math.max(width / 4, (whole.max - whole.min) / 1000));
  if (action === 'out') return around(width);
  if (action === 'left') return within({ min: min - width / 2, max: max - width / 2 }, whole);
  if (action === 'right') return within({ min: min + width / 2, max: max + width / 2 }, whole);
  return whole;
}

/** Moves a span into the whole; it is never wider than that. */
function within({ min, max }: Span, whole: Span): Span {
  const width = Math.min(max - min, whole.max - whole.min);
  const start = Math.min(Math.max(min, whole.min), whole.max - width);
  return { min: start, max: start + width };
}
