/** Event of the window when the page's colours have changed. */
export const COLORS_CHANGED = 'fareproof-colors';

const known = new Map<string, string>();

/** The present colour, light or dark, of a custom property of the style. */
export function pageColor(name: string): string {
  const color = known.get(name) ?? computedColor(name);
  known.set(name, color);
  return color;
}

/** Draws again whenever the colours have changed. */
export function onNewColors(draw: () => void): void {
  addEventListener(COLORS_CHANGED, () => {
    known.clear();
    draw();
  });
}

function computedColor(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
