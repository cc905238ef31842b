import type { Form } from '../../form.ts';
import { type Kind, MINUTE_MS, textOf } from '../../state.ts';
import { answer } from '../builders.ts';
import { memoryOf, remember } from '../memory.ts';

const scopeChanged = (change: (scope: string) => string, kind?: Kind): Form =>
  answer((json, r) => {
    if (r.fields['scope'] !== undefined && (kind === undefined || r.kind === kind))
      json['scope'] = change(textOf(json['scope']));
  });

/** Scopes and fields of a response that are wrong in some circumstance only. */
export const RESPONSE: Readonly<Record<string, Form>> = {
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
  'token/response-content-type#mark': {
    contentType: () => ({
      type: 'application/json',
      encode: (text) => Buffer.from(`\ufeff${text}`, 'utf8'),
    }),
  },
  'token/response-status#created-at-first': {
    status: (r) => (r.partner?.asked.length === 1 ? 201 : undefined),
  },
  'token/response-expires#rest-as-fraction': answer((json, r) => {
    if (r.kind === 'refresh') json['expires_in_second'] = Number(json['expires_in_second']) - 0.5;
  }),
};
