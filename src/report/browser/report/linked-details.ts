/** Expands the target of the address, now and whenever the address changes. */
export function openLinkedDetails(): void {
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
  open();
}
