import type { Exchange, GapFinding } from '../../../documents/sealed.ts';
import { ERROR_CONDITIONS, type ErrorCondition } from '../../../interface/error-conditions.ts';
import type { GapId } from '../../../interface/gaps.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import { askedIn } from '../../model/asked.ts';
import { countOfRefused } from '../../model/refused-count.ts';
import { parseJson } from '../../parse-json.ts';
import { show } from '../contract/messages.ts';
import type { Facts } from '../contract/target.ts';
import { SERVICE_CHECKS } from '../rules/all.ts';
import { isLimitStatus } from '../wire/rate-limit.ts';
import type { MetRefusal } from './probe.ts';

/** An answered exchange, with its answer parsed. */
interface AnsweredExchange {
  readonly exchange: Exchange;
  readonly status: number;
  readonly json: unknown;
}

/** Exchanges of a run with one target, as evidence of gaps; secrets redacted. */
export interface Traffic {
  readonly facts: Facts;
  readonly answered: readonly AnsweredExchange[];
  /** Successes of the token endpoint. */
  readonly tokens: readonly AnsweredExchange[];
  /** Successes of the estimate endpoint. */
  readonly estimates: readonly AnsweredExchange[];
  /** Refusals that probes met. */
  readonly refusals: readonly MetRefusal[];
}

/** Reads the exchanges of a run. */
export function readTraffic(
  exchanges: readonly Exchange[],
  facts: Facts,
  refusals: readonly MetRefusal[],
): Traffic {
  const answered = exchanges.flatMap((exchange): AnsweredExchange[] => {
    const { response } = exchange;
    return response ? [{ exchange, status: response.status, json: parseJson(response.body) }] : [];
  });
  const successesAt = (path: string): AnsweredExchange[] =>
    answered.filter(({ exchange, status }) => status === 200 && isAt(exchange.request.url, path));
  const [tokens, estimates] = [successesAt(TOKEN_PATH), successesAt(ESTIMATES_PATH)];
  return { facts, answered, tokens, estimates, refusals };
}

/** A base URL may have a path prefix: the end of the path names the endpoint. */
function isAt(url: string, path: string): boolean {
  return url.replace(/[?#].*$/s, '').endsWith(path);
}

/**
 * Fields of a token request that are signed: those that the profile names, confirmed by accepted
 * requests.
 */
function signedTokenFields({ facts, tokens }: Traffic): GapFinding | undefined {
  return signedFields('fields of the body', facts.tokenFields, tokens);
}

/** Parameters of a user's estimate that are signed: those that the profile names. */
function signedEstimateFields({ facts, estimates }: Traffic): GapFinding | undefined {
  const signed = estimates.filter(({ exchange }) =>
    exchange.request.headers['authorization']?.includes(' openid|'),
  );
  return signedFields('parameters of the query', facts.estimateFields, signed);
}

function signedFields(
  what: string,
  value: Facts['tokenFields'],
  accepted: readonly AnsweredExchange[],
): GapFinding | undefined {
  if (accepted.length === 0) return undefined;
  const which = value === 'all' ? `all ${what}` : `these, as the profile says: ${value.join(', ')}`;
  const words = `${which} (requests signed so are accepted)`;
  return { value, words, exchanges: idsOf(accepted) };
}

/** Answer to the gap of refused requests, as far as what was accepted beside them shows it. */
function failedRequestsCount({ answered, tokens }: Traffic): GapFinding | undefined {
  const [token] = tokens;
  if (!token) return undefined;
  const baseUrl = token.exchange.request.url.slice(0, -TOKEN_PATH.length);
  return countOfRefused(
    askedIn(
      answered.map(({ exchange }) => exchange),
      baseUrl,
    ),
  );
}

/** Maximum number of codes in a behaviour file: a target that sends more has no fixed list. */
const MOST_CODES = 50;

function recordsOf(estimates: readonly AnsweredExchange[]): Record<string, unknown>[] {
  return estimates
    .flatMap(({ json }) => (Array.isArray(json) ? (json as unknown[]) : []))
    .filter((one): one is Record<string, unknown> => one !== null && typeof one === 'object');
}

/** Observed codes of car_type. */
function carTypes({ estimates }: Traffic): GapFinding | undefined {
  const codes = recordsOf(estimates)
    .map((record) => record['car_type'])
    .filter((code): code is number => Number.isSafeInteger(code));
  const value = [...new Set(codes)].sort((a, b) => a - b).slice(0, MOST_CODES);
  if (value.length === 0) return undefined;
  return { value, words: value.join(', '), exchanges: idsOf(estimates) };
}

/** Observed codes of pay_type, in the target's own order: that of the longest list first. */
function payTypes({ estimates }: Traffic): GapFinding | undefined {
  const lists = recordsOf(estimates)
    .map((record) => record['pay_type'])
    .filter((list): list is string => typeof list === 'string')
    .map((list) => list.split(',').map((code) => code.trim()))
    .sort((a, b) => b.length - a.length);
  const value = [...new Set(lists.flat())]
    // A reader of YAML fills ${NAME} from its environment.
    .filter((code) => /^[^,\s]{1,40}$/.test(code) && !code.includes('${'))
    .slice(0, MOST_CODES);
  if (value.length === 0) return undefined;
  return { value, words: value.map(shortName).join(', '), exchanges: idsOf(estimates) };
}

/** The rate of estimates that was met. */
function estimateRate({ estimates }: Traffic): GapFinding | undefined {
  return rateMet('estimates', estimates);
}

/** The rate of token requests that was met; without requests that were sent again it is not known. */
function tokenRate({ answered, tokens }: Traffic): GapFinding | undefined {
  const met = rateMet('tokens', tokens);
  const limited = answered.filter(
    ({ exchange: { part, expects, request }, status }) =>
      isLimitStatus(status) &&
      isAt(request.url, TOKEN_PATH) &&
      !part?.counted &&
      !part?.batch?.isProbe &&
      expects !== 'refused',
  );
  const [first] = limited;
  if (met?.value !== 'none' || !first) return met;
  const words = `${limited.length} well-formed requests were refused with status ${first.status}`;
  return { words, exchanges: idsOf(limited) };
}

/**
 * The most that one partner got within a second, if requests had to be sent again because the target
 * limits them (`TargetClient.send`).
 */
function rateMet(what: string, successes: readonly AnsweredExchange[]): GapFinding | undefined {
  const sent = successes.map(({ exchange }) => ({ ...exchange, atMs: Date.parse(exchange.at) }));
  if (sent.length < 2) return undefined;
  const times = sent.map(({ atMs }) => atMs);
  const seconds = Math.max(1, Math.ceil((Math.max(...times) - Math.min(...times)) / 1000));
  const exchanges = idsOf(successes);
  if (!sent.some(({ part }) => part?.repeat !== undefined)) {
    const words = `no limit met by ${times.length} ${what} within ${seconds} s`;
    return { value: 'none', words, exchanges };
  }
  const within = sent.map(
    (one) =>
      sent.filter(
        ({ partnerId, atMs }) =>
          partnerId === one.partnerId && atMs >= one.atMs && atMs < one.atMs + 1000,
      ).length,
  );
  const perSecond = Math.max(...within);
  const words = `about ${perSecond} a second for a partner; the check slowed down to it`;
  return { value: { perSecond }, words, exchanges };
}

/** The spelling of token_type. */
function tokenType({ tokens }: Traffic): GapFinding | undefined {
  const spellings = byFrequency(
    tokens.flatMap(({ json }) => {
      const value = (json as { token_type?: unknown } | null)?.token_type;
      return typeof value === 'string' ? [value] : [];
    }),
  );
  if (spellings.length === 0) return undefined;
  const known = spellings.find((one) => one.toLowerCase().startsWith('bear'));
  const value = known === undefined ? {} : { value: known };
  const words = spellings.slice(0, 5).map(show).join(' or ');
  return { ...value, words, exchanges: idsOf(tokens) };
}

function idsOf(answered: readonly AnsweredExchange[]): string[] {
  return answered.slice(0, 3).map(({ exchange }) => exchange.id);
}

/** Each value once, the most frequent first, the smaller of equally frequent ones first. */
function byFrequency<T extends number | string>(list: readonly T[]): T[] {
  const counts = new Map<T, number>();
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts]
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([one]) => one);
}

/** A name as a target writes it, short and on one line. */
function shortName(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?').slice(0, 40);
}

/** Conditions that the refused requests of checks meet, by the id of the check. */
const CONDITION_OF_CHECK: ReadonlyMap<string, ErrorCondition | undefined> = new Map(
  SERVICE_CHECKS.map(({ id, refusedAs }) => [id, refusedAs]),
);

interface Refusal {
  readonly condition: ErrorCondition;
  readonly status: number;
  readonly id: string;
}

/** Refusals that checks asked for. The first of a partner that is banned is for its allowance, not its ban. */
function refusalsOf(answered: readonly AnsweredExchange[]): Refusal[] {
  const banned = new Set<string | null>();
  return answered.flatMap((one) => {
    const { part, expects, id, partnerId } = one.exchange;
    const asked = CONDITION_OF_CHECK.get(part?.check ?? '');
    if (asked === undefined || expects !== 'refused' || !isRefusal(one)) return [];
    const isFirst = asked === 'banned' && !banned.has(partnerId);
    if (isFirst) banned.add(partnerId);
    return { condition: isFirst ? 'quota-exceeded' : asked, status: one.status, id };
  });
}

function isRefusal({ status, exchange }: AnsweredExchange): boolean {
  return Math.trunc(status / 100) !== 2 || (status !== 200 && exchange.response?.body === '');
}

/** Statuses that a behaviour file can name. */
const isNameable = (status: number): boolean => status >= 300 && status <= 599;

/** The observed status of each condition. */
function errorStatus({ answered, refusals }: Traffic): GapFinding | undefined {
  const all = [
    ...refusalsOf(answered),
    ...refusals.map(([condition, { status, exchange }]) => ({ condition, status, id: exchange })),
  ];
  const value: Partial<Record<ErrorCondition, number>> = {};
  const words: string[] = [];
  const exchanges: string[] = [];
  for (const condition of ERROR_CONDITIONS) {
    const met = all.filter((one) => one.condition === condition);
    const [first] = met;
    if (!first) continue;
    const statuses = byFrequency(met.map(({ status }) => status));
    const usual = statuses.find(isNameable);
    if (usual !== undefined) value[condition] = usual;
    words.push(`${condition} ${statuses.join(' or ')}`);
    exchanges.push(first.id);
  }
  if (words.length === 0) return undefined;
  const usable = Object.keys(value).length > 0 ? { value } : {};
  return { ...usable, words: words.join(', '), exchanges };
}

/** Answers with these statuses never have a body. */
const BODILESS = [204, 304];

/** The form of the bodies of refusals. */
function errorBody({ answered }: Traffic): GapFinding | undefined {
  const seen = answered.filter((one) => isRefusal(one) && !BODILESS.includes(one.status));
  const kinds = byFrequency(seen.map(bodyKind));
  const [usual] = kinds;
  if (usual === undefined) return undefined;
  const example = seen.find((one) => bodyKind(one) === usual);
  const isEmpty = example?.exchange.response?.body.trim() === '';
  const value = isEmpty ? 'empty' : example?.json === undefined ? 'text' : 'json';
  const others = kinds.length > 1 ? `, at times ${kinds.slice(1, 4).join(', or ')}` : '';
  return { value, words: usual + others, exchanges: example ? [example.exchange.id] : [] };
}

function bodyKind({ exchange, json }: AnsweredExchange): string {
  const body = (exchange.response?.body ?? '').trim();
  if (body === '') return 'empty';
  if (json === undefined) return body.startsWith('<') ? 'HTML' : 'text';
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return 'JSON';
  const names = Object.keys(json).sort();
  return `JSON with the fields ${names.slice(0, 8).map(shortName).join(', ') || '(none)'}`;
}

/** Gaps that the requests of the rules show. */
export const TRAFFIC_READERS = {
  'failed-requests-count': failedRequestsCount,
  'signed-fields-token': signedTokenFields,
  'signed-fields-estimate': signedEstimateFields,
  'token-type-spelling': tokenType,
  'car-type-codes': carTypes,
  'pay-type-codes': payTypes,
  'estimate-rate-limit': estimateRate,
  'token-rate-limit': tokenRate,
  'error-status': errorStatus,
  'error-body': errorBody,
} satisfies { readonly [gap in GapId]?: (traffic: Traffic) => GapFinding | undefined };
