import { COLORS_CHANGED } from '../chart/colors.ts';

const KEY = 'fareproof-theme';

type Theme = 'light' | 'dark';

/** Starts the button that makes the page light or dark; until it is used, the system decides. */
export function startTheme(): void {
  const button = document.querySelector<HTMLButtonElement>('#theme');
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen = stored();

  const current = (): Theme => chosen ?? (system.matches ? 'dark' : 'light');
  const show = (): void => {
    if (chosen) document.documentElement.dataset['theme'] = chosen;
    else delete document.documentElement.dataset['theme'];
    if (button) button.textContent = current() === 'dark' ? 'Light' : 'Dark';
    button?.setAttribute('aria-label', `Use ${current() === 'dark' ? 'light' : 'dark'} colours`);
    dispatchEvent(new Event(COLORS_CHANGED));
  };

  button?.addEventListener('click', () => {
    chosen = current() === 'dark' ? 'light' : 'dark';
    store(chosen);
    show();
  });
  system.addEventListener('change', show);
  printLight(() => chosen, show);
  if (button) button.hidden = false;
  show();
}

/** Draws the charts in light colours while the page is printed. */
function printLight(chosen: () => Theme | null, show: () => void): void {
  addEventListener('beforeprint', () => {
    const before = chosen();
    document.documentElement.dataset['theme'] = 'light';
    dispatchEvent(new Event(COLORS_CHANGED));
    addEventListener(
      'afterprint',
      () => {
        if (before) document.documentElement.dataset['theme'] = before;
        show();
      },
      { once: true },
    );
  });
}

/** The stored choice; a page from the file system may have no storage. */
function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

function store(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // No storage: the choice lasts as long as the page.
  }
}
