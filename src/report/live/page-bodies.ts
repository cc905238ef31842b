import { part } from '../html/blocks.ts';
import { LIVE_GROUP } from '../html/charts/live-charts.ts';
import { zoomBar } from '../html/charts/zoom-bar.ts';
import { type Content, html, type Markup } from '../html/markup.ts';
import type { LiveSubject } from './subject.ts';

/** The body of a live page by its command; the page's script fills it. */
export const PAGE_BODIES: Readonly<
  Record<LiveSubject['kind'], (charts: readonly Markup[]) => Content>
> = {
  load: (charts) => [
    tiles([
      ['rate', 'Rate'],
      ['p50', 'p50'],
      ['p99', 'p99'],
      ['max', 'Max'],
      ['failed', 'Failed'],
      ['ok', 'Responses'],
      ['loop', 'Generator event loop'],
      ['lag', 'Send lag p99'],
    ]),
    overTime(charts),
    hiddenPart('live-lines-part', 'Log', html`<ol id="live-lines" class="live-lines"></ol>`),
  ],
  certify: () => [
    tiles([
      ['requests', 'Requests'],
      ['good', 'Without violation'],
      ['bad', 'With violations'],
      ['rules', 'Rules broken'],
    ]),
    hiddenPart(
      'live-scenarios-part',
      'Scenarios',
      html`<ul id="live-scenarios" class="rules"></ul>`,
    ),
    livePart('Broken rules', 'rules', tallyList('No violations yet.')),
    requestsPart('Requests, judged on arrival', 'Violations only'),
  ],
  serve: (charts) => [
    tiles([
      ['requests', 'Requests'],
      ['good', 'Accepted (200)'],
      ['bad', 'Refused'],
      ['rate', 'Rate'],
      ['p50', 'p50'],
      ['p99', 'p99'],
    ]),
    overTime(charts),
    livePart('Refusals', 'refusals', tallyList('No refusals yet.')),
    requestsPart('Requests', 'Refusals only'),
  ],
};

function livePart(title: string, id: string, ...content: readonly Content[]): Content {
  return part(title, `live-${id}-title`, content);
}

/** A part that the script shows once it has content. */
function hiddenPart(id: string, title: string, content: Markup): Markup {
  return html`<div id="${id}" hidden>${part(title, `${id}-title`, content)}</div>`;
}

function tiles(list: readonly (readonly [id: string, name: string])[]): Markup {
  const items = list.map(
    ([id, name]) => html`<div class="tile">
      <dt>${name}</dt><dd><b data-figure="${id}">–</b><span class="meta" data-more="${id}"></span></dd>
      </div>`,
  );
  return html`<dl class="tiles">${items}</dl>`;
}

/** The charts, and for readers who cannot see them a table that is filled while it is open. */
function overTime(charts: readonly Markup[]): Content {
  const label = 'Latest seconds';
  const table = html`<details class="figures" id="live-figures">
    <summary class="opener">Data table of the latest seconds</summary>
    <div class="table-frame" tabindex="0" role="group" aria-label="${label}"><table>
    <caption class="visually-hidden">${label}</caption><thead></thead><tbody></tbody>
    </table></div></details>`;
  return livePart('Over time', 'over-time', zoomBar(LIVE_GROUP), charts, table);
}

function tallyList(empty: string): Markup {
  return html`<p class="meta" id="live-tally-empty">${empty}</p>
    <ul id="live-tally" class="rules" hidden></ul>`;
}

function requestsPart(title: string, filter: string): Content {
  return livePart(
    title,
    'requests',
    html`<p class="live-shown">
      <label class="check"><input type="checkbox" id="live-only-bad"> ${filter}</label>
      <span class="meta" id="live-shown">No requests yet.</span>
      </p>
      <div class="live-frame" tabindex="0" role="group" aria-label="${title}" hidden>
      <ol id="live-requests"></ol>
      </div>`,
  );
}
