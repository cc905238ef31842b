import type { LiveView } from '../../live/page.ts';
import { startCharts } from '../chart/charts.ts';
import { startRuleFilters } from '../report/rule-filter.ts';
import { startCopyButtons } from '../report/start-page.ts';
import { startTheme } from '../report/theme.ts';
import { morph } from './morph.ts';

/** Failed attempts in a row after which it gives up. */
const MAX_ATTEMPTS = 8;

/** Finds an element of the page; throws an Error if there is none, which is a bug. */
function elementOf(selector: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(selector);
  if (!element) throw new Error(`there is no ${selector}`);
  return element;
}

/** Shows each view that the page's stream brings. */
function showStream(): void {
  const main = elementOf('main');
  const pause = elementOf('#pause');
  const showCharts = startCharts();
  let latest: LiveView | null = null;
  let isPaused = false;
  let attempts = 0;

  const show = (): void => {
    if (latest === null || isPaused) return;
    const { title, markup, charts, spoken, ended } = latest;
    const next = document.createElement('main');
    next.innerHTML = markup;
    document.title = title;
    say(spoken);
    if (ended) {
      main.replaceChildren(...next.childNodes);
      startRuleFilters();
      startCopyButtons();
      startCharts(charts);
    } else {
      for (const { name, value } of main.attributes) next.setAttribute(name, value);
      morph(main, next);
      showCharts(charts);
    }
  };
  const setPaused = (paused: boolean): void => {
    isPaused = paused;
    pause.textContent = paused ? 'Resume' : 'Pause';
    show();
  };
  pause.hidden = false;
  pause.addEventListener('click', () => setPaused(!isPaused));

  const source = new EventSource('events');
  source.addEventListener('open', () => {
    attempts = 0;
    setState('live');
  });
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    latest = JSON.parse(data) as LiveView;
    if (latest.ended) {
      source.close();
      pause.hidden = true;
      setState('ended');
      setPaused(false);
    } else show();
  });
  source.addEventListener('error', () => {
    attempts += 1;
    const isGone = source.readyState === EventSource.CLOSED || attempts >= MAX_ATTEMPTS;
    if (isGone) source.close();
    const words = isGone ? 'connection lost' : 'reconnecting';
    setState(words);
    say(isGone ? 'The command no longer responds. This page shows its last state.' : words);
  });
}

function setState(words: string): void {
  elementOf('#live-state').textContent = words;
}

/** Announces a change to screen readers, once. */
function say(words: string): void {
  const status = elementOf('#live-status');
  if (status.textContent !== words) status.textContent = words;
}

startTheme();
startCopyButtons();
showStream();
