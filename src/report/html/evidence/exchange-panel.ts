import type { Exchange, Headers } from '../../../documents/exchange.ts';
import { cutText } from '../../escape.ts';
import { byteWords, cutWords, signedFacts } from '../../text/exchange-words.ts';
import { formatBytes } from '../../text/quantities.ts';
import { type Content, html, type Markup } from '../markup.ts';

const HEADER_LIMIT = 60;
const HEADER_VALUE_LIMIT = 400;
const TARGET_LIMIT = 2000;

/** Header fields that no rule checks, in lower case. */
const OMITTED: ReadonlySet<string> = new Set(
  (
    'accept accept-encoding accept-language cache-control connection content-length date etag ' +
    'host keep-alive sec-fetch-mode server transfer-encoding user-agent vary'
  ).split(' '),
);

/** Explanation of the exchanges on a page. */
export const EVIDENCE_WORDS =
  'Each exchange is shown once and linked from elsewhere: in full under a broken rule; under others ' +
  'the decisive one in full, and the rest in a line. Header fields that no rule checks (Date, ' +
  'Content-Length and others) and the base URL are left out. run.json has everything.';

/** Presentation of an exchange. */
export interface PanelView {
  readonly id: string;
  /** Base URL of the target; left out of the addresses that begin with it. */
  readonly baseUrl: string;
  /** Characters of a body. */
  readonly bodyLimit: number;
  /** True to show what was signed, and the bytes sent and received. */
  readonly inDetail: boolean;
  /** Texts of the request that differ from the baseline. */
  readonly marked: readonly string[];
}

/** One exchange: request and response side by side. */
export function exchangePanel(exchange: Exchange, view: PanelView): Markup {
  const { request, response, error, partnerId, durationMs } = exchange;
  const { id, baseUrl, bodyLimit, inDetail, marked } = view;
  const bytes = inDetail ? byteWords(exchange) : { sent: null, received: null };
  const meta = [
    `${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms`,
    ...(partnerId === null ? [] : [`partner ${cutText(partnerId, 100)}`]),
    exchange.at.slice(11, 23),
  ].join(' · ');
  const name = html`<a href="#${id}"><b>${cutText(exchange.id, 40)}</b></a>`;
  const sent = message(
    requestLine(exchange, baseUrl),
    request.headers,
    request.body,
    bodyLimit,
    marked,
  );
  const received = response
    ? message(`${response.status}`, response.headers, response.body, bodyLimit)
    : html`<p>No response.</p>`;
  const broken = error && html`<p class="broken">${errorWords(error)}</p>`;
  return html`<article id="${id}">
    <p>${name} ${cutText(exchange.purpose, 400)} <small>${meta}</small></p>
    <div><div>${sent}${inDetail && signedLines(exchange)}${note(bytes.sent)}</div><div>${received}${note(bytes.received)}${response && cutNote(response, bodyLimit)}${broken}</div>
    </div></article>
    `;
}

/** One exchange in a line; a link where its panel is on the page. */
export function exchangeLine(exchange: Exchange, baseUrl: string, panelId: string | null): Markup {
  const { id, purpose, response, error } = exchange;
  const shortId = cutText(id, 40);
  const name =
    panelId === null ? html`<b>${shortId}</b>` : html`<a href="#${panelId}">${shortId}</a>`;
  const outcome = response?.status ?? (error ? cutText(error.code, 100) : 'no response');
  const [target = ''] = cutText(requestLine(exchange, baseUrl), 200).split('?');
  return html`<p>${name} ${cutText(purpose, 200)} <small>${target} → ${outcome}</small></p>
    `;
}

function message(
  line: string,
  headers: Headers,
  body: string | null,
  limit: number,
  marked: readonly string[] = [],
): Markup {
  const text = `${line}${headerLines(headers)}${bodyText(body, limit)}`;
  return html`<pre>${withMarks(text, marked)}</pre>`;
}

/** A text in which some of its parts are marked, the first of each. */
function withMarks(text: string, [part, ...more]: readonly string[]): Content {
  const at = part === undefined || part === '' ? -1 : text.indexOf(part);
  if (part === undefined) return text;
  if (at < 0) return withMarks(text, more);
  return [
    withMarks(text.slice(0, at), more),
    html`<mark>${part}</mark>`,
    withMarks(text.slice(at + part.length), more),
  ];
}

/** Lines about what was signed, in the words of the terminal. */
function signedLines(exchange: Exchange): Content {
  return signedFacts(exchange).map(
    ([name, text]) =>
      html`<p class="signed">${name[0]?.toUpperCase()}${name.slice(1)}: <code>${cutText(text, TARGET_LIMIT)}</code></p>`,
  );
}

function note(words: string | null): Content {
  return words === null ? null : html`<p class="meta">${words}</p>`;
}

function requestLine({ request: { method, url } }: Exchange, baseUrl: string): string {
  const path = baseUrl !== '' && url.startsWith(`${baseUrl}/`) ? url.slice(baseUrl.length) : url;
  return cutText(`${method} ${path}`, TARGET_LIMIT);
}

function headerLines(headers: Headers): string {
  const entries = Object.entries(headers).filter(([name]) => !OMITTED.has(name.toLowerCase()));
  const lines = entries
    .slice(0, HEADER_LIMIT)
    .map(([name, value]) => `\n${cutText(name, 200)}: ${cutText(value, HEADER_VALUE_LIMIT)}`);
  const left = entries.length - HEADER_LIMIT;
  return lines.join('') + (left > 0 ? `\n… and ${left} more header fields` : '');
}

function bodyText(body: string | null, limit: number): string {
  return body === null || body === '' ? '' : `\n\n${cutText(body, limit)}`;
}

function cutNote(response: NonNullable<Exchange['response']>, limit: number): Content {
  if (!response.truncated && response.body.length <= limit) return null;
  const size = formatBytes(response.bodyBytes);
  return response.truncated
    ? html`<p>Truncated: the body has ${size}; the run stored a part of the response (${cutWords(response)}).</p>`
    : html`<p>Truncated: the body has ${size}; run.json has all of it.</p>`;
}

function errorWords({ code, message: words }: NonNullable<Exchange['error']>): string {
  return cutText(`${code}: ${words}`, 1000);
}
