import type { Exchange } from '../../documents/exchange.ts';
import type { ListedRule, ReplayDocument } from '../../documents/replay.ts';
import { cutText, escapeTerminal, escapeTerminalLine } from '../escape.ts';
import { cutWords } from '../text/exchange-words.ts';
import { countOf } from '../text/quantities.ts';
import { aligned, section } from './layout.ts';

const WORDS: Readonly<Record<ReplayDocument['verdict'], string>> = {
  'as-expected': 'AS EXPECTED',
  'not-as-expected': 'NOT AS EXPECTED',
  answered: 'ANSWERED',
  inconclusive: 'INCONCLUSIVE',
};

/** Characters of a body. */
const BODY_LIMIT = 4000;

/** Characters of a cell in the comparison of the responses. */
const CELL_LIMIT = 60;

/** A replay for the terminal: what was sent, what came, and the former response beside it. */
export function replayText(document: ReplayDocument): string[] {
  const { now, former, before, renewed, kept, spend, target, reason, rerun, verdict, exit } =
    document;
  const safe = (text: string, limit?: number): string => escapeTerminalLine(text, limit);
  const block = (text: string): string[] =>
    escapeTerminal(cutText(text, BODY_LIMIT))
      .split('\n')
      .map((line) => `  ${line}`);
  const { method, url, headers, body } = now.request;
  const spent = Object.entries(spend ?? {}).filter(([, count]) => count > 0);
  const rows = answerRows(now, former).map(([name = '', ...cells]) => [
    `  ${safe(name, CELL_LIMIT)}`,
    ...cells.map((cell) => safe(cell, CELL_LIMIT)),
  ]);
  return [
    `${WORDS[verdict]}  ${safe(former.id)} of ${safe(document.run)}, sent again to ${safe(target.name)} (${safe(target.baseUrl)})`,
    safe(former.purpose),
    safe(reason),
    ...section(
      'Regenerated',
      renewed.map((one) => `  ${safe(one)}`),
    ),
    ...section(
      'Unchanged',
      kept.map((one) => `  ${safe(one)}`),
    ),
    ...section(
      'Sent before it',
      before.map((one) => `  ${one.id}  ${safe(one.purpose)}  ${answerWords(one)}`),
    ),
    ...section(
      'Counted',
      spent.map(
        ([kind, count]) =>
          `  ${countOf(count, `${kind} request`)} of ${safe(partnerWords([now, ...before]))}`,
      ),
    ),
    ...section('Request', [
      ...block(`${method} ${url}`),
      ...Object.entries(headers).flatMap(([name, value]) => block(`${name}: ${value}`)),
      ...(body === null || body === '' ? [] : ['', ...block(body)]),
    ]),
    ...section(
      'Signed text',
      block(now.signed?.text ?? '').filter((line) => line.trim() !== ''),
    ),
    '',
    ...aligned([['Response', 'now', 'in the run'], ...rows]),
    ...section('Body now', bodyLines(now, block)),
    ...section('Body in the run', bodyLines(former, block)),
    ...section(
      'To judge the rule',
      rerun.map((one) => `  ${safe(one)}`),
    ),
    '',
    `Exit ${exit?.code}: ${safe(exit?.reason ?? '')}`,
  ];
}

/** `partner demo`, or `partners demo and demo-witness`. */
function partnerWords(exchanges: readonly Exchange[]): string {
  const ids = [...new Set(exchanges.flatMap(({ partnerId }) => partnerId ?? []))];
  return `${ids.length === 1 ? 'partner' : 'partners'} ${ids.join(' and ')}`;
}

function answerWords({ response, error }: Exchange): string {
  return response ? `status ${response.status}` : (error?.code ?? 'no response');
}

/** Facts of both responses: the headers that either has, and what else can be compared in a line. */
function answerRows(now: Exchange, former: Exchange): string[][] {
  const both = [now, former];
  const names = both.flatMap(({ response }) => Object.keys(response?.headers ?? {}));
  const size = ({ response }: Exchange): string =>
    response ? [`${response.bodyBytes} bytes`, cutWords(response) ?? []].flat().join(', ') : '';
  return [
    ['sent at', ...both.map(({ at }) => at)],
    ['response', ...both.map(answerWords)],
    ['time', ...both.map(({ durationMs }) => `${durationMs.toFixed(1)} ms`)],
    ['body', ...both.map(size)],
    ...[...new Set(names)].map((name) => [
      name,
      ...both.map(({ response }) => response?.headers[name] ?? '-'),
    ]),
  ];
}

function bodyLines({ response, error }: Exchange, block: (text: string) => string[]): string[] {
  if (!response) return error ? block(`${error.message} (${error.code})`) : [];
  const cut = cutWords(response);
  if (response.body === '') return [`  (${cut ?? 'empty'})`];
  return [...block(response.body), ...(cut === null ? [] : [`  (${cut})`])];
}

/** Purpose of a request, with the status that was expected in place of `positive` or `negative`. */
const expectedWords = (purpose: string): string =>
  purpose.replace(/^positive: /, 'expected 200: ').replace(/^negative: /, 'expected a refusal: ');

/** The exchanges of broken rules. */
export function exchangeListText(rules: readonly ListedRule[], file: string): string[] {
  if (rules.length === 0)
    return [`No rule of ${escapeTerminalLine(file)} is broken; name an exchange, such as x12.`];
  return rules.flatMap(({ rule, exchanges }, at) => [
    ...(at === 0 ? [] : ['']),
    escapeTerminalLine(rule),
    ...exchanges.map(({ id, purpose, status, obstacle }) => {
      const cannot = obstacle === null ? '' : ` [cannot be sent again: ${obstacle}]`;
      return `  ${escapeTerminalLine(id).padEnd(6)}  ${status ?? 'none'}  ${escapeTerminalLine(expectedWords(purpose) + cannot)}`;
    }),
  ]);
}
