import type { Quirks } from './sample-requests.ts';

/** Requests that are nearly right: a lenient parser of the checker would find no fault with them. */
export const NEAR_MISSES: readonly Quirks[] = [
  { json: (fields) => `\ufeff${JSON.stringify(fields)}` },
  { json: (fields) => `${JSON.stringify(fields)},` },
  { json: (fields) => JSON.stringify([fields]) },
  { tokenAuthorization: (id, signature) => `Bearer ${id}|${signature},` },
  { tokenAuthorization: (id, signature) => `Bearer ${id}|"${signature}"` },
  { tokenContentType: 'application/x-www-form-urlencoded' },
  { nostr: (random) => random().replace(/^./, 'é') },
  { time: (nowMs) => new Date(nowMs).toISOString().replace('T', ' ') },
  { scope: () => 'public,rides.read,rides.request' },
  { estimateAuthorization: (header) => header.replace(' openid|', ', openid|') },
  { estimateAuthorization: (header) => header.replace(' openid|', ' openid:') },
  { encode: (query) => new URLSearchParams(query).toString().replaceAll('%', '%25') },
  { encode: (query) => new URLSearchParams(query).toString().replaceAll('&', ';') },
  { query: (query) => ({ ...query, start_lat: '39,9087' }) },
  { query: (query) => ({ ...query, end_lat: ' 39.9929' }) },
  { prefix: '/v1/' },
  { prefix: '/V1' },
];
