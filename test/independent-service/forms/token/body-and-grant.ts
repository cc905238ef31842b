import type { Attempt, Form } from '../../form.ts';
import type { Kind } from '../../state.ts';
import { forgive } from '../builders.ts';

const body = (reads: (raw: string) => unknown): Form => ({
  reads: (raw) => {
    try {
      return reads(raw);
    } catch {
      return undefined;
    }
  },
  ...forgive('body'),
});

const parsed = (raw: string): unknown => JSON.parse(raw);

const grant = (isKnown: (type: string) => boolean, kind: Kind = 'platform'): Form => ({
  grants: (type) => (typeof type === 'string' && isKnown(type) ? kind : null),
});

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const grants = (isPlatform: (type: unknown, r: Attempt) => boolean): Form => ({
  grants: (type, _fields, r) => (isPlatform(type, r) ? 'platform' : null),
});

/** Bodies that are not JSON, and grant types that are not known. */
export const BODY_AND_GRANT: Readonly<Record<string, Form>> = {
  'token/json-body#trailing-text': body((raw) => parsed(raw.slice(0, raw.lastIndexOf('}') + 1))),
  'token/json-body#leading-text': body((raw) => parsed(raw.slice(raw.indexOf('{')))),
  'token/json-body#trailing-comma': body((raw) => parsed(raw.replace(/,\s*}/, '}'))),
  'token/json-body#single-quotes': body((raw) =>
    raw.includes('"') ? undefined : parsed(raw.replaceAll("'", '"')),
  ),
  'token/json-body#array': body((raw) => (parsed(raw) as unknown[])[0]),
  'token/json-body#two-values': body((raw) => parsed(raw.slice(0, raw.indexOf('}') + 1))),
  'token/json-body#unquoted-names': body((raw) =>
    parsed(raw.replace(/([{,]\s*)(\w+):/g, '$1"$2":')),
  ),
  'token/json-body#comment': body((raw) => parsed(raw.replace(/\/\*.*?\*\/|\/\/.*$/gm, ''))),
  'token/json-body#truncated': body((raw) => parsed(`${raw}}`)),
  'token/json-body#json-in-text': body((raw) => JSON.parse(parsed(raw) as string)),
  'token/json-body#missing-comma': body((raw) => parsed(raw.replace(/"\s+"/g, '","'))),
  'token/json-body#form-with-right-fields': body((raw) =>
    /^[\w]+=.*&/.test(raw) ? Object.fromEntries(new URLSearchParams(raw)) : undefined,
  ),
  'token/json-body#lone-equals': body((raw) => parsed(raw.replace(/"\s*=\s*"/g, '":"'))),
  'token/json-body#multipart': body((raw) => {
    const parts = [...raw.matchAll(/name="(\w+)"\r\n\r\n(.*?)\r\n--/gs)];
    return parts.length > 0
      ? Object.fromEntries(parts.map(([, name, text]) => [name, text]))
      : undefined;
  }),
  'token/json-body#nan': body((raw) => JSON.parse(raw.replace(/:\s*NaN\b/, ':"NaN"'))),
  'token/json-body#line-break-in-text': body((raw) =>
    JSON.parse(raw.replace(/[\n\t]/g, (one) => (one === '\n' ? '\\n' : '\\t'))),
  ),
  'token/json-body#xml': body((raw) => {
    const parts = [...raw.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
    return parts.length > 0
      ? Object.fromEntries(parts.map(([, name, text]) => [name, text]))
      : undefined;
  }),
  'token/json-body#fields-in-query': {
    reads: (_raw, r) => (Object.keys(r.query).length > 0 ? r.query : undefined),
    ...forgive('body'),
  },
  'token/json-body#line-comment': {
    reads: (raw) => parseOr(raw.replace(/^\s*\/\/.*$/gm, '')),
    ...forgive('body'),
  },
  'token/json-body#semicolons': {
    reads: (raw) => parseOr(raw.replace(/";"/g, '","')),
    ...forgive('body'),
  },
  'token/grant-type-known#implicit': grant((type) => type === 'implicit'),
  'token/grant-type-known#password': grant((type) => type === 'password'),
  'token/grant-type-known#other-case': grant((type) => type.toLowerCase() === 'client_credentials'),
  'token/grant-type-known#whitespace': grant((type) => type.trim() === 'client_credentials'),
  'token/grant-type-known#hyphen': grant((type) => type === 'client-credentials'),
  'token/grant-type-known#prefix': grant((type) => type.startsWith('client')),
  'token/grant-type-known#suffix': grant((type) => type.startsWith('client_credentials')),
  'token/grant-type-known#urn': grant((type) => type.startsWith('urn:')),
  'token/grant-type-known#two-at-once': grant((type) =>
    type.split(/[ ,]/).includes('client_credentials'),
  ),
  'token/grant-type-known#list': {
    grants: (type) => (Array.isArray(type) && type[0] === 'client_credentials' ? 'platform' : null),
  },
  'token/grant-type-known#zero': { grants: (type) => (type === 0 ? 'platform' : null) },
  'token/grant-type-known#constructor': {
    grants: (type) => (typeof type === 'string' && type in {} ? 'platform' : null),
  },
  'token/grant-type-known#by-fields': {
    grants: (type, fields) =>
      type === undefined ? null : 'refresh_token' in fields ? 'refresh' : null,
  },
  'token/grant-type-known#true': grants((type) => type === true),
  'token/grant-type-known#zero-character': grants(
    (type) => typeof type === 'string' && type.split('\0')[0] === 'client_credentials',
  ),
  'token/grant-type-known#short-name': grants((type) => type === 'client'),
  'token/grant-type-required#empty': { grants: (type) => (type === '' ? 'platform' : null) },
  'token/grant-type-required#null': { grants: (type) => (type === null ? 'platform' : null) },
};
