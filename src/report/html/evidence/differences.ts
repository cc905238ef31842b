import type { Exchange } from '../../../documents/exchange.ts';

/** A part of a request: where it stands as text, and its value without what differs in every request. */
type Fields = ReadonlyMap<string, { readonly text: string; readonly value: string }>;

/** The difference of a request from the baseline that is accepted. */
export interface Differences {
  /** Names of the fields. */
  readonly names: readonly string[];
  /** Their texts in the request, to be marked. */
  readonly texts: readonly string[];
}

/** Compares a request with its baseline, but for times, random strings, signatures and tokens. */
export function differencesOf(exchange: Exchange, baseline: Exchange): Differences {
  const [fields, before] = [fieldsOf(exchange), fieldsOf(baseline)];
  const all = [...new Set([...before.keys(), ...fields.keys()])];
  const names = all.filter((name) => fields.get(name)?.value !== before.get(name)?.value);
  const isReordered = [...fields.keys()].join() !== [...before.keys()].join();
  return {
    names:
      names.length === 0 && isReordered
        ? ['the order of the fields']
        : names.map((name) => (fields.has(name) ? name : `${name} (left out)`)),
    texts: names.flatMap((name) => fields.get(name)?.text ?? []),
  };
}

function fieldsOf({ request, partnerId, made = {} }: Exchange): Fields {
  const { method, url, headers, body } = request;
  const fields = new Map<string, { text: string; value: string }>();
  const add = (name: string, text: string, value: string): void => {
    let plain = partnerId === null ? value : value.replaceAll(partnerId, 'partner');
    for (const [literal, { is }] of Object.entries(made)) plain = plain.replaceAll(literal, is);
    fields.set(name, { text, value: plain.replaceAll(/(\[[a-z_]+) \d+\]/g, '$1]') });
  };
  const [path = '', query = ''] = url.split('?');
  add('method', method, method);
  add('path', path, path);
  for (const pair of query.split('&').filter(Boolean)) add(pair.split('=')[0] ?? '', pair, pair);
  for (const [name, value] of Object.entries(headers)) {
    if (COMPARED.has(name.toLowerCase())) add(name, `${name}: ${value}`, value);
  }
  const members = membersOf(body);
  if (members === null) add('body', body ?? '', body ?? '');
  for (const [name, value] of members ?? []) {
    const text = JSON.stringify(value);
    add(name, `${JSON.stringify(name)}:${text}`, text);
  }
  return fields;
}

/** Header fields that a rule may be about, in lower case. */
const COMPARED: ReadonlySet<string> = new Set(['authorization', 'content-type']);

/** Members of a JSON object; null for any other body. */
function membersOf(body: string | null): readonly (readonly [string, unknown])[] | null {
  if (body === null || body === '') return [];
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : null;
  } catch {
    return null;
  }
}
