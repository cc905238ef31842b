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
  const areas = [...part.querySelectorAll<HTMLElement>('.area')];
  const entries = [...part.querySelectorAll<HTMLElement>('li.rule')].map(entryOf);

  const apply = (): void => {
    const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { item, verdict, text } of entries) {
      const visible = verdicts.has(verdict) && words.every((word) => text.includes(word));
      item.hidden = !visible;
      if (visible) shown += 1;
    }
    for (const area of areas) area.hidden = !area.querySelector('li.rule:not([hidden])');
    status.textContent = `${shown} of ${entries.length} rules shown`;
  };
  const openAll = (open: boolean): void => {
    for (const { item, details } of entries) {
      if (details && (!open || !item.hidden)) details.open = open;
    }
  };

  group.hidden = false;
  group.addEventListener('input', apply);
  group.querySelector('[data-do=open]')?.addEventListener('click', () => openAll(true));
  group.querySelector('[data-do=close]')?.addEventListener('click', () => openAll(false));
  apply();
}

function entryOf(item: HTMLElement): RuleEntry {
  const body = item.querySelector('.facts')?.textContent ?? '';
  const summary = item.querySelector('.rule-words')?.textContent ?? '';
  return {
    item,
    details: item.querySelector('details'),
    verdict: item.dataset['verdict'] ?? '',
    text: `${summary} ${body}`.toLowerCase(),
  };
}
