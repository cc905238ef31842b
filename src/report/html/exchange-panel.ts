import type { Exchange, Headers } from '../documents/exchange.ts';
import { cutText } from '../escape/visible-text.ts';
import { formatBytes } from '../text/quantities.ts';
import { html, type Markup } from './markup.ts';

const HEADER_LIMIT = 60;
const HEADER_VALUE_LIMIT = 400;
const TARGET_LIMIT = 2000;

/** One exchange: request and answer side by side, bodies cut to `bodyLimit` characters. */
export function exchangePanel(exchange: Exchange, id: string, bodyLimit: number): Markup {
  const { request, response, error, partnerId, durationMs } = exchange;
  const meta = [
    `${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms`,
    ...(partnerId === null ? [] : [`partner ${cutText(partnerId, 100)}`]),
    exchange.at.slice(11, 23),
  ].join(' · ');
  return html`<article class="exchange" id="${id}">
<p class="purpose"><span class="exchange-id">${cutText(exchange.id, 40)}</span> ${cutText(exchange.purpose, 400)} <span class="meta">${meta}</span></p>
<div class="sides">
<div class="side"><p class="side-name">Request</p><pre><b>${cutText(`${request.method} ${request.url}`, TARGET_LIMIT)}</b>
${headerLines(request.headers)}${bodyText(request.body, bodyLimit)}</pre></div>
<div class="side"><p class="side-name">Answer</p>${
    response
      ? html`<pre><b>${response.status}</b>
${headerLines(response.headers)}${bodyText(response.body, bodyLimit)}</pre>${cutNote(response, bodyLimit)}`
      : html`<p class="no-answer">No answer.</p>`
  }${error && html`<p class="broken">${cutText(`${error.code}: ${error.message}`, 1000)}</p>`}</div>
</div>
</article>`;
}

function headerLines(headers: Headers): Markup[] {
  const entries = Object.entries(headers);
  const shown = entries
    .slice(0, HEADER_LIMIT)
    .map(
      ([name, value]) =>
        html`<i>${cutText(name, 200)}:</i> ${cutText(value, HEADER_VALUE_LIMIT)}\n`,
    );
  const left = entries.length - HEADER_LIMIT;
  return left > 0 ? [...shown, html`<i>… and ${left} more header fields</i>\n`] : shown;
}

function bodyText(body: string | null, limit: number): Markup | null {
  if (body === null || body === '') return null;
  return html`\n${cutText(body, limit)}`;
}

function cutNote(response: NonNullable<Exchange['response']>, limit: number): Markup | null {
  if (!response.truncated && response.body.length <= limit) return null;
  const whole = response.truncated
    ? 'the run stored only its beginning'
    : 'run.json holds it whole';
  return html`<p class="meta">Cut: the body has ${formatBytes(response.bodyBytes)}; ${whole}.</p>`;
}
