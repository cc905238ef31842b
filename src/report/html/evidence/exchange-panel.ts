import type { Exchange, Headers } from '../../../documents/exchange.ts';
import { cutText } from '../../escape/visible-text.ts';
import { formatBytes } from '../../text/quantities.ts';
import { type Content, html, type Markup } from '../markup.ts';

const HEADER_LIMIT = 60;
const HEADER_VALUE_LIMIT = 400;
const TARGET_LIMIT = 2000;

/** Header fields on which no rule looks: they say how the bytes came, not what they say. */
const FOLDED =
  /^(accept|accept-encoding|accept-language|cache-control|connection|content-length|date|etag|host|keep-alive|sec-fetch-mode|server|transfer-encoding|user-agent|vary)$/i;

/** What a page says once of how exchanges stand in it. */
export const EVIDENCE_WORDS =
  'Each exchange is shown once, and linked to elsewhere: in full where a rule is broken, under one that held the one that tells most, the others in a line. Header fields on which no rule looks (Date, Connection, Content-Length and the like) and the address of the target are left out. The run document (run.json) holds everything.';

/** How an exchange is shown. */
export interface PanelView {
  readonly id: string;
  /** Of the target; left out of the addresses that begin with it. */
  readonly baseUrl: string;
  /** Characters of a body. */
  readonly bodyLimit: number;
}

/** One exchange: request and answer side by side. */
export function exchangePanel(exchange: Exchange, { id, baseUrl, bodyLimit }: PanelView): Markup {
  const { request, response, error, partnerId, durationMs } = exchange;
  const meta = [
    `${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms`,
    ...(partnerId === null ? [] : [`partner ${cutText(partnerId, 100)}`]),
    exchange.at.slice(11, 23),
  ].join(' · ');
  const answer = response
    ? html`<pre>${response.status}${headerLines(response.headers)}${bodyText(response.body, bodyLimit)}</pre>${cutNote(response, bodyLimit)}`
    : html`<p>No answer.</p>`;
  return html`<article id="${id}"><p><b>${cutText(exchange.id, 40)}</b> ${cutText(exchange.purpose, 400)} <small>${meta}</small></p>
<div><div><pre>${requestLine(exchange, baseUrl)}${headerLines(request.headers)}${bodyText(request.body, bodyLimit)}</pre></div><div>${answer}${
    error && html`<p class="broken">${cutText(`${error.code}: ${error.message}`, 1000)}</p>`
  }</div></div></article>
`;
}

/** One exchange in a line, for where its bytes are not what matters; a link where they are shown. */
export function exchangeLine(exchange: Exchange, baseUrl: string, shownAs: string | null): Markup {
  const { id, purpose, response, error } = exchange;
  const name: Content =
    shownAs === null
      ? html`<b>${cutText(id, 40)}</b>`
      : html`<a href="#${shownAs}">${cutText(id, 40)}</a>`;
  const outcome = response?.status ?? (error ? cutText(error.code, 100) : 'no answer');
  const [target = ''] = cutText(requestLine(exchange, baseUrl), 200).split('?');
  return html`<p>${name} ${cutText(purpose, 200)} <small>${target} → ${outcome}</small></p>
`;
}

function requestLine({ request: { method, url } }: Exchange, baseUrl: string): string {
  const path = baseUrl !== '' && url.startsWith(`${baseUrl}/`) ? url.slice(baseUrl.length) : url;
  return cutText(`${method} ${path}`, TARGET_LIMIT);
}

function headerLines(headers: Headers): string {
  const entries = Object.entries(headers).filter(([name]) => !FOLDED.test(name));
  const lines = entries
    .slice(0, HEADER_LIMIT)
    .map(([name, value]) => `\n${cutText(name, 200)}: ${cutText(value, HEADER_VALUE_LIMIT)}`);
  const left = entries.length - HEADER_LIMIT;
  return lines.join('') + (left > 0 ? `\n… and ${left} more header fields` : '');
}

function bodyText(body: string | null, limit: number): string {
  return body === null || body === '' ? '' : `\n\n${cutText(body, limit)}`;
}

function cutNote(response: NonNullable<Exchange['response']>, limit: number): Markup | null {
  if (!response.truncated && response.body.length <= limit) return null;
  const whole = response.truncated
    ? 'the run stored only its beginning'
    : 'run.json holds it whole';
  return html`<p>Cut: the body has ${formatBytes(response.bodyBytes)}; ${whole}.</p>`;
}
