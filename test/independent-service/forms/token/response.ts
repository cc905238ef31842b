import type { Attempt, Fields, Form } from '../../form.ts';
import { type Kind, MINUTE_MS, textOf } from '../../state.ts';
import { KNOWN_FIELDS } from '../../style.ts';
import { answer, answerWith, byValue, refuse, type WrongValues } from '../builders.ts';
import { memoryOf, remember } from '../memory.ts';

const scopeChanged = (change: (scope: string) => string, kind?: Kind): Form =>
  answer((json, r) => {
    if (r.fields['scope'] !== undefined && (kind === undefined || r.kind === kind))
      json['scope'] = change(textOf(json['scope']));
  });

const FIELDS: WrongValues = {
  'token/response-access-token': [
    'access_token',
    { empty: '', null: null, missing: undefined, object: { token: 'x' }, list: ['x'] },
  ],
  'token/response-refresh-token': [
    'refresh_token',
    { null: null, missing: undefined, number: 12_345, list: ['x'] },
  ],
  'token/response-expires': [
    'expires_in_second',
    {
      zero: 0,
      negative: -7200,
      fraction: 7200.5,
      null: null,
      missing: undefined,
      boolean: true,
      'iso-time': '2026-07-08T12:00:00Z',
    },
  ],
  'token/response-token-type': [
    'token_type',
    {
      basic: 'Basic',
      null: null,
      missing: undefined,
      empty: '',
      number: 1,
      list: ['bearer'],
      suffix: 'bearer_token',
    },
  ],
};

const everyScope = (change: (scope: string) => unknown): Form =>
  answer((json) => {
    json['scope'] = change(textOf(json['scope']));
  });

const defaultScope = (value: unknown): Form =>
  answer((json, r) => {
    if (r.kind === 'platform' && !r.fields['scope']) json['scope'] = value;
  });

/** Answers whose scope lacks `public`. */
const answerNarrow = (change: (json: Fields) => void): Form =>
  answer((json) => {
    if (!textOf(json['scope']).split(' ').includes('public')) change(json);
  });

/** Answers to requests with fields that the interface does not name. */
const isExtended = ({ fields }: Attempt): boolean =>
  Object.keys(fields).some((name) => !KNOWN_FIELDS.includes(name));

const encoded = (type: string | null, encode?: (text: string) => Buffer): Form => ({
  contentType: () => ({ type, ...(encode ? { encode } : {}) }),
});

const noted = (text: string): string => text.replace(/}$/, ',"note":"Zürich"}');

/** Scopes and fields of a response that are wrong, always or in some circumstance only. */
export const RESPONSE: Readonly<Record<string, Form>> = {
  ...byValue(FIELDS, answerWith),
  'token/scope-echo#first-only': everyScope((text) => text.split(' ')[0]),
  'token/scope-echo#last-only': everyScope((text) => text.split(' ').at(-1)),
  'token/scope-echo#first-counts': refuse(
    'scope',
    ({ token, asUser }) => token !== null && !asUser && !token.scope.startsWith('public'),
  ),
  'token/scope-echo#commas': everyScope((text) => text.replaceAll(' ', ',')),
  'token/scope-echo#list': everyScope((text) => text.split(' ')),
  'token/scope-echo#upper-case': everyScope((text) => text.toUpperCase()),
  'token/scope-echo#wider': answer((json, r) => {
    if (r.kind === 'platform' && 'scope' in r.fields)
      json['scope'] = `${textOf(json['scope'])} admin`;
  }),
  'token/scope-echo#missing': answer((json, r) => {
    if ('scope' in r.fields) delete json['scope'];
  }),
  'token/scope-echo#always-public': answer((json) => {
    json['scope'] = 'public';
  }),
  'token/scope-echo#two-of-three': everyScope((text) => text.split(' ').slice(0, 2).join(' ')),
  'token/scope-default#empty': defaultScope(''),
  'token/scope-default#missing': defaultScope(undefined),
  'token/scope-default#null': defaultScope(null),
  'token/scope-default#all': defaultScope('public rides.read rides.request profile'),
  'token/scope-default#other': defaultScope('profile'),
  'token/scope-default#upper-case': defaultScope('PUBLIC'),
  'token/response-status#accepted': { status: () => 202 },
  'token/response-status#refresh-created': {
    status: (r) => (r.kind === 'refresh' ? 201 : undefined),
  },
  'token/response-status#exchange-created': {
    status: (r) => (r.kind === 'user' ? 201 : undefined),
  },
  'token/response-status#with-scope': { status: (r) => ('scope' in r.fields ? 203 : undefined) },
  'token/response-content-type#latin-1-bytes': encoded('application/json', (text) =>
    Buffer.from(noted(text), 'latin1'),
  ),
  'token/response-content-type#latin-1-named': encoded('application/json; charset=ISO-8859-1'),
  'token/response-content-type#gbk': encoded('application/json; charset=gbk'),
  'token/response-content-type#utf-16': encoded('application/json; charset=utf-16le', (text) =>
    Buffer.from(text, 'utf16le'),
  ),
  'token/response-content-type#utf-16-unnamed': encoded('application/json', (text) =>
    Buffer.from(text, 'utf16le'),
  ),
  'token/response-content-type#form': encoded('application/x-www-form-urlencoded', (text) =>
    Buffer.from(new URLSearchParams(JSON.parse(text) as Record<string, string>).toString()),
  ),
  'token/response-content-type#windows': encoded('application/json; charset="windows-1252"'),
  'token/scope-echo#cut-at-32': scopeChanged((text) => text.slice(0, 32)),
  'token/scope-echo#adds-public': scopeChanged((text) =>
    text.split(' ').includes('public') ? text : `public ${text}`,
  ),
  'token/scope-echo#without-rides-request': scopeChanged((text) =>
    text.replace(' rides.request', ''),
  ),
  'token/scope-echo#user-first-only': scopeChanged((text) => text.split(' ')[0] ?? '', 'user'),
  'token/scope-echo#refresh-first-only': scopeChanged(
    (text) => text.split(' ')[0] ?? '',
    'refresh',
  ),
  'token/scope-echo#cached-a-minute': answer((json, r) => {
    if (r.kind !== 'platform') return;
    const last = `answer to ${r.partner?.id}`;
    const [at, scope] = memoryOf<readonly [number, unknown]>(r, last, [0, '']);
    if (r.service.now() - at < MINUTE_MS) json['scope'] = scope;
    else remember(r, last, [r.service.now(), json['scope']]);
  }),
  'token/scope-echo#with-user': answer((json, r) => {
    if (r.user !== null && r.fields['scope'] !== undefined)
      json['scope'] = `${textOf(json['scope'])} user`;
  }),
  'token/scope-default#sticky': answer((json, r) => {
    const last = `scope of ${r.partner?.id}`;
    if (r.fields['scope'] !== undefined) remember(r, last, r.fields['scope']);
    else if (r.kind === 'platform') json['scope'] = memoryOf<unknown>(r, last, 'public');
  }),
  'token/scope-default#sticky-of-all': answer((json, r) => {
    if (r.fields['scope'] !== undefined) remember(r, 'scope', r.fields['scope']);
    else if (r.kind !== 'refresh') json['scope'] = memoryOf<unknown>(r, 'scope', 'public');
  }),
  'token/scope-default#sticky-of-users': answer((json, r) => {
    const last = `scope of ${r.partner?.id}`;
    if (r.fields['scope'] !== undefined) remember(r, last, r.fields['scope']);
    else if (r.kind === 'user') json['scope'] = memoryOf<unknown>(r, last, 'public');
  }),
  'token/response-content-type#mark': {
    contentType: () => ({
      type: 'application/json',
      encode: (text) => Buffer.from(`\ufeff${text}`, 'utf8'),
    }),
  },
  'token/response-status#created-at-first': {
    status: (r) => (r.partner?.asked.length === 1 ? 201 : undefined),
  },
  'token/response-refresh-token#without-public': answerNarrow((json) => {
    delete json['refresh_token'];
  }),
  'token/response-expires#without-public': answerNarrow((json) => {
    json['expires_in_second'] = null;
  }),
  'token/response-token-type#without-public': answerNarrow((json) => {
    json['token_type'] = 'mac';
  }),
  'token/response-access-token#without-public': answerNarrow((json) => {
    json['access_token'] = { value: json['access_token'] };
  }),
  'token/response-status#without-public': {
    status: (r) => (textOf(r.fields['scope'] ?? 'public').includes('public') ? undefined : 201),
  },
  'token/response-expires#further-fields': answer((json, r) => {
    if (isExtended(r)) json['expires_in_second'] = String(json['expires_in_second']);
  }),
  'token/response-token-type#old-time': answer((json, r) => {
    const ageMs = r.service.now() - Date.parse(textOf(r.fields['_']));
    if (ageMs > 4 * MINUTE_MS) json['token_type'] = 'Basic';
  }),
  'token/response-content-type#wide-scope': {
    contentType: (r) =>
      textOf(r.fields['scope']).includes('profile')
        ? { type: 'text/plain; charset=gbk' }
        : undefined,
  },
  'token/response-expires#rest-as-fraction': answer((json, r) => {
    if (r.kind === 'refresh') json['expires_in_second'] = Number(json['expires_in_second']) - 0.5;
  }),
};
