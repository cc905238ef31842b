import { changedPairs, percent, RIGHT } from '../habits.ts';
import type { WireRequest } from '../wire.ts';
import { type WrongClient, wrong } from '../wrong-client.ts';

const refused = wrong('refused');

/** Refused all the way: the service never serves these clients, or often does not. */
export const REFUSED: readonly WrongClient[] = [
  ...[
    '/v1/estimates/price',
    '/v1/estimates/prices/',
    '/v1/estimate/prices',
    '/v1/Estimates/Prices',
    '//v1/estimates/prices',
    '/v1/estimates//prices',
    '/v1/prices/estimates',
    '/v1/estimates/prices.json',
    '/v1/estimates/prices;v=1',
    '/v1/estimates%2Fprices',
    '/v1/api/estimates/prices',
  ].map((target) =>
    refused(`asks ${target} for estimates`, ['client/estimate-method', 'client/path-version'], {
      estimateTarget: target,
    }),
  ),
  ...[
    '/v1/oauth/token/',
    '/v1/oauth/tokens',
    '/v1/oauth',
    '/v1/oauth/Token',
    '/v1//oauth/token',
  ].map((target) =>
    refused(`asks ${target} for tokens`, 'client/token-method', { tokenTarget: target }),
  ),
  refused(
    'sends its parameters as a form with GET',
    ['client/estimate-method', 'client/estimate-parameters'],
    {
      request: (request, kind) => moved(request, kind),
    },
  ),
  refused(
    'sends half of its parameters as a form with GET',
    ['client/estimate-method', 'client/estimate-parameters'],
    {
      request: (request, kind) => moved(request, kind, 4),
    },
  ),
  refused('percent-encodes its query twice', 'client/estimate-encoding', {
    encode: (pairs) => pairs.map(([name, value]) => `${name}=${percent(percent(value))}`).join('&'),
  }),
  refused(
    'percent-encodes the separators of its query',
    ['client/estimate-parameters', 'client/estimate-encoding'],
    {
      encode: (pairs) => encodeURIComponent(RIGHT.encode(pairs)),
    },
  ),
  refused('separates its parameters by ;', 'client/estimate-parameters', {
    encode: (pairs) => RIGHT.encode(pairs).replaceAll('&', ';'),
  }),
  refused('separates its parameters by &amp;', 'client/estimate-parameters', {
    encode: (pairs) => RIGHT.encode(pairs).replaceAll('&', '&amp;'),
  }),
  refused('begins its query with two ?', ['client/estimate-parameters', 'scenario'], {
    encode: (pairs) => `?${RIGHT.encode(pairs)}`,
  }),
  refused('writes parameter names in camel case', 'client/estimate-parameters', {
    query: (pairs) =>
      pairs.map(([name, value]) => [
        name.replace(/_(.)/, (_, one: string) => one.toUpperCase()),
        value,
      ]),
  }),
  refused('sends its parameters as one JSON text', 'client/estimate-parameters', {
    encode: (pairs) => `data=${percent(JSON.stringify(Object.fromEntries(pairs)))}`,
  }),
  refused('sends each parameter twice', ['client/estimate-parameters', 'scenario'], {
    encode: (pairs) => `${RIGHT.encode(pairs)}&${RIGHT.encode(pairs)}`,
  }),
  refused('asks for estimates with HEAD', 'client/estimate-method', {
    estimateMethod: 'HEAD',
    patienceMs: 40,
  }),
  refused('asks for estimates with a lower-case method', ['client/estimate-method', 'scenario'], {
    estimateMethod: 'get',
  }),
  refused('names an unknown product', 'scenario', {
    query: (pairs) => changedPairs(pairs, { product_type: 'private_car' }),
  }),
  refused('requests a token without public', 'scenario', {
    scope: () => 'rides.read rides.request',
  }),
  refused('is refused with every second estimate', ['scenario', 'client/estimate-parameters'], {
    query: (pairs, nth) => (nth % 2 ? pairs : changedPairs(pairs, { product_type: 'taxi' })),
    estimateAttempts: 1,
  }),
  refused('is refused with the last estimates', ['scenario', 'client/estimate-parameters'], {
    query: (pairs, nth) => (nth < 4 ? pairs : changedPairs(pairs, { product_type: 'taxi' })),
    estimateAttempts: 1,
  }),
];

function moved(request: WireRequest, kind: string, at = 0): WireRequest {
  if (kind !== 'estimate') return request;
  const [path = '', query = ''] = request.target.split('?');
  const parts = query.split('&');
  const body = Buffer.from(parts.slice(at).join('&'));
  const rest = parts.slice(0, at).join('&');
  return {
    ...request,
    target: rest === '' ? path : `${path}?${rest}`,
    headers: [...request.headers, ['Content-Length', String(body.length)]],
    body,
  };
}
