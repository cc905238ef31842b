/** Makes each group of class `filter` show and hide the rules of its part of the page. */
export function startRuleFilters(): void {
  for (const group of document.querySelectorAll<HTMLElement>('div.filter')) startFilter(group);
}

interface RuleEntry {
  item: HTMLElement;
  details: HTMLDetailsElement | null;
  verdict: string;
  /** Searched text, in lower case. */
  text: string;
}

function startFilter(group: HTMLElement): void {
  const part = group.closest('section');
  const search = group.querySelector<HTMLInputElement>('input[type=search]');
  const status = group.querySelector('.shown');
  const boxes = [...group.querySelectorAll<HTMLInputElement>('input[type=checkbox]')];
  if (!part || !search || !status) return;
  const runId = group.id.replace(/-filter$/, '');
  const clear = group.querySelector<HTMLButtonElement>('[data-do=clear]');
  const atFirst = verdictsOf(boxes);
  const areas = [...part.querySelectorAll<HTMLElement>('.area')];
  const entries = [...part.querySelectorAll<HTMLElement>('li.rule')].map(entryOf);

  const apply = (): void => {
    const verdicts = verdictsOf(boxes);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { item, verdict, text } of entries) {
      const visible = verdicts.has(verdict) && words.every((word) => text.includes(word));
      item.hidden = !visible;
      if (visible) shown += 1;
    }
    for (const area of areas) area.hidden = !area.querySelector('li.rule:not([hidden])');
    status.textContent =
      shown === 0 ? 'No rule matches.' : `${shown} of ${entries.length} rules shown`;
    if (clear) clear.hidden = shown > 0;
  };
  /** The filter stands in the address, so that a link leads to what is shown. */
  const keep = (): void => {
    const rules = [...verdictsOf(boxes)].join();
    const fields = { rules, ...(search.value && { q: search.value }), in: runId };
    history.replaceState(null, '', `#${new URLSearchParams(fields).toString()}`);
  };
  const choose = (verdicts: ReadonlySet<string>, words: string): void => {
    for (const box of boxes) box.checked = verdicts.has(box.value);
    search.value = words;
    apply();
  };
  const restore = (): void => {
    const fields = new URLSearchParams(location.hash.slice(1));
    const chosen = fields.get('rules');
    if (chosen === null || (fields.get('in') ?? runId) !== runId) return;
    choose(new Set(chosen.split(',')), fields.get('q') ?? '');
    group.scrollIntoView();
  };
  const openAll = (open: boolean): void => {
    for (const { item, details } of entries) {
      if (details && (!open || !item.hidden)) details.open = open;
    }
  };

  group.hidden = false;
  group.addEventListener('input', () => {
    apply();
    keep();
  });
  clear?.addEventListener('click', () => {
    choose(atFirst, '');
    keep();
    search.focus();
  });
  addEventListener('hashchange', restore);
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
  });
  group.querySelector('[data-do=open]')?.addEventListener('click', () => openAll(true));
  group.querySelector('[data-do=close]')?.addEventListener('click', () => openAll(false));
  apply();
  restore();
}

const verdictsOf = (boxes: readonly HTMLInputElement[]): ReadonlySet<string> =>
  new Set(boxes.filter(({ checked }) => checked).map(({ value }) => value));

function entryOf(item: HTMLElement): RuleEntry {
  return {
    item,
    details: item.querySelector('details'),
    verdict: item.dataset['verdict'] ?? '',
    text: (item.textContent ?? '').toLowerCase(),
  };
}
