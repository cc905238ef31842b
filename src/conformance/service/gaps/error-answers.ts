import type { GapFinding } from '../../../documents/conformance.ts';
import { ERROR_CONDITIONS, type ErrorCondition } from '../../../interface/gaps.ts';
import { SERVICE_CHECKS } from '../rules/all.ts';
import { type AnsweredExchange, byFrequency, shortName, type Traffic } from './traffic.ts';

/** Conditions that the refused requests of checks meet, by the id of the check. */
const CONDITION_OF_CHECK: ReadonlyMap<string, ErrorCondition | undefined> = new Map(
  SERVICE_CHECKS.map(({ id, refusedAs }) => [id, refusedAs]),
);

interface Refusal {
  readonly condition: ErrorCondition;
  readonly status: number;
  readonly id: string;
}

function refusalOf(answered: AnsweredExchange): Refusal[] {
  const { exchange, status } = answered;
  const { key = '', purpose, id } = exchange;
  const condition = CONDITION_OF_CHECK.get(key.replace(/(~\d+)?#\d+$/, ''));
  const isMet = condition && purpose.startsWith('negative:') && isRefusal(answered);
  return isMet ? [{ condition, status, id }] : [];
}

function isRefusal({ status, exchange }: AnsweredExchange): boolean {
  return Math.trunc(status / 100) !== 2 || (status !== 200 && exchange.response?.body === '');
}

/** Statuses that a behaviour file can name. */
const isNameable = (status: number): boolean => status >= 300 && status <= 599;

/** The observed status of each condition. */
export function errorStatus({ answered, refusals }: Traffic): GapFinding | undefined {
  const all = [
    ...answered.flatMap(refusalOf),
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
export function errorBody({ answered }: Traffic): GapFinding | undefined {
  const seen = answered.filter((one) => isRefusal(one) && !BODILESS.includes(one.status));
  const kinds = byFrequency(seen.map(bodyKind));
  const [usual] = kinds;
  if (usual === undefined) return undefined;
  const example = seen.find((one) => bodyKind(one) === usual);
  const value = usual === 'empty' ? 'empty' : usual.startsWith('JSON') ? 'json' : 'text';
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
