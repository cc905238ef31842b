import { html, type Markup } from '../markup.ts';

/** Zoom buttons of the charts of a group; hidden until the page's script makes them work. */
export function zoomBar(group: string): Markup {
  const button = (action: string, name: string, sign: string): Markup =>
    html`<button type="button" data-zoom="${action}" aria-label="${name}">
      <span aria-hidden="true">${sign}</span></button>`;
  const label = 'Zoom of the charts over time';
  return html`<div class="zoom-bar" data-group="${group}" role="group" aria-label="${label}" hidden>
    ${button('in', 'Zoom in', '+')}
    ${button('out', 'Zoom out', '−')}
    ${button('left', 'Earlier', '←')}
    ${button('right', 'Later', '→')}
    <button type="button" data-zoom="reset">Whole run</button>
    <span class="meta">Drag over a chart to zoom in.</span>
    <span class="meta zoom-span" role="status"></span>
    </div>`;
}
