import { ERROR_CONDITIONS, type ErrorCondition } from '../../../interface/gaps.ts';
import { type Answered, byFrequency, plain } from './answers.ts';
import type { GapBook, Sighting } from './probe.ts';

/** The rules whose negatives meet a condition, by the key of the check that sends them. */
const CONDITION_OF_RULE: Readonly<Record<string, ErrorCondition>> = {
  'token/authorization-required': 'authorization-missing',
  'auth/authorization-required': 'authorization-missing',
  'token/authorization-shape': 'authorization-shape',
  'auth/scheme': 'authorization-shape',
  'token/partner-unknown': 'partner-unknown',
  'signature/invalid-refused': 'signature-invalid',
  'signature/wrong-key-refused': 'signature-invalid',
  'auth/user-signature': 'signature-invalid',
  'token/json-body': 'body-invalid',
  'token/grant-type-required': 'field-missing',
  'token/timestamp-required': 'field-missing',
  'token/nostr-required': 'field-missing',
  'token/refresh-token-required': 'field-missing',
  'token/auth-code-required': 'field-missing',
  'token/nostr-length': 'field-invalid',
  'token/nostr-alphabet': 'field-invalid',
  'token/timestamp-iso8601': 'field-invalid',
  'token/grant-type-known': 'grant-type-unknown',
  'token/timestamp-expired': 'timestamp-expired',
  'token/refresh-token-unknown': 'refresh-token-invalid',
  'lifecycle/refresh-single-use': 'refresh-token-invalid',
  'token/auth-code-unknown': 'auth-code-invalid',
  'quota/platform-allows-10': 'quota-exceeded',
  'quota/user-allows-5': 'quota-exceeded',
  'quota/refresh-allows-10': 'quota-exceeded',
  'quota/ban-lasts-24h': 'banned',
  'auth/unknown-token': 'access-token-invalid',
  'auth/token-of-partner': 'access-token-invalid',
  'lifecycle/user-token-newest-only': 'access-token-invalid',
  'lifecycle/access-token-valid-until-expiry': 'access-token-expired',
  'auth/scope-public': 'scope-insufficient',
  'estimate/required-parameters': 'parameter-missing',
  'estimate/coordinates-numeric': 'parameter-invalid',
  'estimate/coordinates-range': 'parameter-invalid',
  'estimate/version-prefix': 'path-unknown',
};

interface Refusal {
  readonly condition: ErrorCondition;
  readonly status: number;
  readonly id: string;
}

function conditionOf(answered: Answered): Refusal[] {
  const { exchange, status } = answered;
  const { key = '', purpose, id } = exchange;
  const condition = CONDITION_OF_RULE[key.replace(/#\d+$/, '')];
  if (!condition || !purpose.startsWith('negative:') || !isRefusal(answered)) return [];
  return [{ condition, status, id }];
}

function isRefusal({ status, exchange }: Answered): boolean {
  return Math.trunc(status / 100) !== 2 || (status !== 200 && exchange.response?.body === '');
}

/** The statuses that a behaviour file can name. */
const nameable = (status: number): boolean => status >= 300 && status <= 599;

/**
 * The status of each condition that was met.
 *
 * @param probed refusals that were met by probes
 */
export function errorStatus(
  answered: readonly Answered[],
  probed: GapBook['refusals'],
): Sighting | undefined {
  const refusals = [
    ...answered.flatMap(conditionOf),
    ...probed.map(([condition, { status, exchange }]) => ({ condition, status, id: exchange })),
  ];
  const value: Partial<Record<ErrorCondition, number>> = {};
  const words: string[] = [];
  const exchanges: string[] = [];
  for (const condition of ERROR_CONDITIONS) {
    const met = refusals.filter((one) => one.condition === condition);
    const [first] = met;
    if (!first) continue;
    const statuses = byFrequency(met.map(({ status }) => status));
    const usual = statuses.find(nameable);
    if (usual !== undefined) value[condition] = usual;
    words.push(`${condition} ${statuses.join(' or ')}`);
    exchanges.push(first.id);
  }
  if (words.length === 0) return undefined;
  const usable = Object.keys(value).length > 0 ? { value } : {};
  return { ...usable, words: words.join(', '), exchanges };
}

/** Answers with these statuses have no body, whatever the target would write. */
const BODILESS = [204, 304];

/** What the bodies of refusals look like. */
export function errorBody(answered: readonly Answered[]): Sighting | undefined {
  const seen = answered.filter((one) => isRefusal(one) && !BODILESS.includes(one.status));
  const kinds = byFrequency(seen.map(bodyKind));
  const [usual] = kinds;
  if (usual === undefined) return undefined;
  const example = seen.find((one) => bodyKind(one) === usual);
  const value = usual === 'empty' ? 'empty' : usual.startsWith('JSON') ? 'json' : 'text';
  const others = kinds.length > 1 ? `, at times ${kinds.slice(1, 4).join(', or ')}` : '';
  return { value, words: usual + others, exchanges: example ? [example.exchange.id] : [] };
}

function bodyKind({ exchange, json }: Answered): string {
  const body = (exchange.response?.body ?? '').trim();
  if (body === '') return 'empty';
  if (json === undefined) return body.startsWith('<') ? 'HTML' : 'text';
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return 'JSON';
  const names = Object.keys(json).sort();
  return `JSON with the fields ${names.slice(0, 8).map(plain).join(', ') || '(none)'}`;
}
