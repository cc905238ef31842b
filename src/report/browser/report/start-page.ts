import { startRuleFilters } from './rule-filter.ts';
import { startTheme } from './theme.ts';

/** Starts what every report has: theme, filters, buttons and links. */
export function startPage(): void {
  startTheme();
  startRuleFilters();
  startCopyButtons();
  openLinkedDetails();
  printFindings();
}

/** Expands what failed while the page is printed: its deciding exchanges are on paper. */
function printFindings(): void {
  const failed = 'li.rule[data-verdict=fail] > details:not([open])';
  addEventListener('beforeprint', () => {
    const opened = [...document.querySelectorAll<HTMLDetailsElement>(failed)];
    for (const details of opened) details.open = true;
    const close = (): void => opened.forEach((details) => (details.open = false));
    addEventListener('afterprint', close, { once: true });
  });
}

/** Expands the target of the address, now and whenever a link leads to it. */
function openLinkedDetails(): void {
  const open = (): void => {
    const target = location.hash === '' ? null : document.getElementById(location.hash.slice(1));
    if (!target) return;
    const item = target.closest<HTMLElement>('li.rule');
    if (item) item.hidden = false;
    const area = target.closest<HTMLElement>('.area');
    if (area) area.hidden = false;
    const own = target.querySelector<HTMLDetailsElement>(':scope > details');
    if (own) own.open = true;
    for (let at: Element | null = target; at; at = at.parentElement) {
      if (at instanceof HTMLDetailsElement) at.open = true;
    }
    target.scrollIntoView();
  };
  addEventListener('hashchange', open);
  // A second click on a link changes no address, but the target may have been filtered out meanwhile.
  addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('a') : null;
    if (link?.hash && link.hash === location.hash) open();
  });
  open();
}

/** Makes the buttons of class `copy` copy the command beside them. */
export function startCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) {
    const command = button.parentElement?.querySelector('pre');
    if (!command) continue;
    button.hidden = false;
    button.addEventListener('click', () => {
      void copy(command).then((copied) => {
        button.textContent = copied ? 'Copied' : 'Selected';
        setTimeout(() => (button.textContent = 'Copy'), 1500);
      });
    });
  }
}

/** Copies a text; where a page may not use the clipboard, the text is selected instead. */
async function copy(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return false;
  }
}
