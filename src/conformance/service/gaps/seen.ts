import type { Exchange } from '../../../documents/exchange.ts';
import type { GapId } from '../../../interface/gaps.ts';
import { ESTIMATES_PATH, TOKEN_PATH } from '../../../interface/limits.ts';
import type { Facts } from '../contract/target.ts';
import { show } from '../rules/token/answer.ts';
import { type Answered, byFrequency, plain, readAnswer } from './answers.ts';
import type { GapBook, Sighting } from './probe.ts';
import { errorBody, errorStatus } from './refusals.ts';

/** What can be said of gaps by whatever was sent for the rules. */
export type SeenInPassing = { readonly [gap in GapId]?: Sighting | undefined };

/**
 * Looks over a run's exchanges with one target.
 *
 * @param exchanges secrets redacted
 */
export function seenInPassing(
  exchanges: readonly Exchange[],
  facts: Facts,
  { refusals }: GapBook,
): SeenInPassing {
  const answered = exchanges.filter(({ response }) => response !== null).map(readAnswer);
  const tokens = answered.filter(({ path, status }) => path === TOKEN_PATH && status === 200);
  const estimates = answered.filter(
    ({ path, status }) => path === ESTIMATES_PATH && status === 200,
  );
  return {
    'signed-fields-token': signedFields('fields of the body', facts.tokenFields, tokens),
    'signed-fields-estimate': signedFields(
      'parameters of the query',
      facts.estimateFields,
      estimates.filter(({ exchange }) =>
        (exchange.request.headers['authorization'] ?? '').includes(' openid|'),
      ),
    ),
    'error-status': errorStatus(answered, refusals),
    'error-body': errorBody(answered),
    'car-type-codes': carTypes(estimates),
    'pay-type-codes': payTypes(estimates),
    'estimate-rate-limit': rateSeen(estimates),
    'token-type-spelling': tokenType(tokens),
  };
}

function signedFields(
  what: string,
  fields: Facts['tokenFields'],
  accepted: readonly Answered[],
): Sighting | undefined {
  if (accepted.length === 0) return undefined;
  const words =
    fields === 'all' ? `all ${what}` : `these, as the profile says: ${fields.join(', ')}`;
  return {
    value: fields,
    words: `${words} (requests signed so are accepted)`,
    exchanges: idsOf(accepted),
  };
}

/** What a list in a behaviour file may hold at most: beyond it there is no list of codes. */
const MOST_CODES = 50;

function recordsOf(estimates: readonly Answered[]): Record<string, unknown>[] {
  return estimates
    .flatMap(({ json }) => (Array.isArray(json) ? (json as unknown[]) : []))
    .filter((one): one is Record<string, unknown> => one !== null && typeof one === 'object');
}

function carTypes(estimates: readonly Answered[]): Sighting | undefined {
  const codes = recordsOf(estimates)
    .map((record) => record['car_type'])
    .filter((code): code is number => Number.isSafeInteger(code));
  const value = [...new Set(codes)].sort((a, b) => a - b).slice(0, MOST_CODES);
  if (value.length === 0) return undefined;
  return { value, words: value.join(', '), exchanges: idsOf(estimates) };
}

/** Codes in the order of the longest list first: there each stands where the target puts it. */
function payTypes(estimates: readonly Answered[]): Sighting | undefined {
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
  return { value, words: value.map(plain).join(', '), exchanges: idsOf(estimates) };
}

/** Without a burst of its own a run shows only what did not happen. */
function rateSeen(estimates: readonly Answered[]): Sighting | undefined {
  const times = estimates.map(({ exchange }) => Date.parse(exchange.at));
  if (times.length < 2) return undefined;
  const seconds = Math.max(1, Math.ceil((Math.max(...times) - Math.min(...times)) / 1000));
  const words = `none seen in ${times.length} estimates within ${seconds} s`;
  return { value: 'none', words, exchanges: idsOf(estimates) };
}

function tokenType(tokens: readonly Answered[]): Sighting | undefined {
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

function idsOf(answered: readonly Answered[]): string[] {
  return answered.slice(0, 3).map(({ exchange }) => exchange.id);
}
