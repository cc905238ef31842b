/** Event of the window when the page's colours have changed. */
export const COLORS_CHANGED = 'fareproof-colors';

const known = new Map<string, string>();

/** A custom property of the page's style as the colour that it is now, light or dark. */
export function pageColor(name: string): string {
  const color = known.get(name) ?? computedColor(name);
  known.set(name, color);
  return color;
}

/** The colours are others now. */
export function forgetColors(): void {
  known.clear();
}

function computedColor(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
