import type { IncomingMessage } from 'node:http';
import { count, countedToday, refuseBanned } from './allowances.ts';
import type { Attempt, Fields, ServiceState } from './form.ts';
import { beforeOthers, issue } from './issue-tokens.ts';
import { type Reading, signatureOf } from './reading-signature.ts';
import { need, refuseRight } from './refusals.ts';
import { type Kind, type Partner, Refused, textOf } from './state.ts';
import { KNOWN_FIELDS } from './style.ts';

const GRANT: ReadonlyMap<string, Kind> = new Map([
  ['client_credentials', 'platform'],
  ['authorization_code', 'user'],
  ['refresh_token', 'refresh'],
]);

/** A request with nothing read yet but its header. */
export function attemptOf(
  service: ServiceState,
  endpoint: Attempt['endpoint'],
  request: IncomingMessage,
  raw: string,
): Attempt {
  return {
    service,
    endpoint,
    connection: request.socket,
    header: request.headers.authorization,
    contentType: request.headers['content-type'],
    agent: request.headers['user-agent'],
    raw,
    query: Object.fromEntries(new URL(request.url ?? '/', 'http://service').searchParams),
    fields: {},
    kind: null,
    partner: null,
    scheme: '',
    separator: '',
    signature: null,
    isUnknown: false,
    user: null,
    asUser: false,
    token: null,
    refresh: null,
  };
}

/** The response to a token request. @throws Refused */
export async function answerToken(r: Attempt): Promise<{ status: number; json: Fields }> {
  const { service } = r;
  const { style, form } = service;
  const isRead = readBody(r);
  identify(r);
  const { partner, kind } = r;
  const stale = partner && kind && form.races?.(r) ? await beforeOthers(r, partner, kind) : null;
  try {
    if (partner && kind) refuseBanned(r, partner, kind);
    if (partner && style.nostrOnce === 'refused too') refuseUsedNostr(r, partner);
    if (!isRead) throw new Refused('body');
    need(r.header !== undefined, 'authorization-missing', r);
    if (!partner)
      throw new Refused(
        r.header !== undefined && r.signature === null ? 'authorization' : 'partner',
      );
    if (r.signature !== null) checkSignature(r, partner);
    if (!kind) throw new Refused('grant');
    checkFields(r, partner);
    refuseRight(r);
    return issue(r, partner, kind, stale);
  } catch (error) {
    if (error instanceof Refused && partner && kind) burn(r, partner, kind, error.why);
    throw error;
  }
}

/** Cost of a refusal for the partner. @throws Refused for the request beyond the allowance */
function burn(r: Attempt, partner: Partner, kind: Kind, why: string): void {
  const { style } = r.service;
  const isBanned = why === 'banned' || why === 'quota';
  if (kind === 'user' && style.burns?.includes('code') && !isBanned)
    partner.codes.delete(textOf(r.fields['auth_code']));
  if (r.refresh && style.burns?.includes('refresh') && !isBanned)
    r.refresh.usedAt ??= r.service.now();
  const { failedCount } = style;
  const isCounted = typeof failedCount === 'boolean' ? failedCount : failedCount(why);
  if (isCounted && !isBanned) count(r, partner, kind, countedToday(r, partner, kind));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads body, grant and user; false if the body is no JSON object. */
function readBody(r: Attempt): boolean {
  const { form, refreshes } = r.service;
  let body = parse(r.raw);
  if (body === undefined || body === null || typeof body !== 'object' || Array.isArray(body)) {
    body = form.reads?.(r.raw, r);
    if (body === undefined || body === null || typeof body !== 'object') return false;
    r.fields = body as Fields;
    r.kind = GRANT.get(textOf(r.fields['grant_type'])) ?? null;
    if (!form.forgives?.('body', r, '')) return false;
  }
  r.fields = body as Fields;
  const { grant_type: type, refresh_token: sent } = r.fields;
  r.kind = GRANT.get(textOf(type)) ?? form.grants?.(type, r.fields, r) ?? null;
  if (r.kind === 'refresh') {
    r.refresh =
      refreshes.get(textOf(sent)) ??
      form.findsRefresh?.(textOf(sent), [...refreshes.values()], r) ??
      null;
    r.user = r.refresh?.user ?? null;
  }
  return true;
}

/** Finds the partner and the signature that the header names. */
function identify(r: Attempt): void {
  const { partners, form } = r.service;
  const all = [...partners.values()];
  if (r.header === undefined) {
    if (!form.forgives?.('authorization-missing', r, '')) return;
    r.partner =
      r.refresh?.partner ??
      all.find(({ codes }) => codes.has(textOf(r.fields['auth_code']))) ??
      all.at(-1) ??
      null;
  } else {
    const match =
      /^(?:(\S*?):? +)?([^|\s:,]+)(\|+|[:, ]\s*)(\S*)$/.exec(r.header) ??
      /^(?:(\S+) )?([^|\s]+)()()$/.exec(r.header);
    if (!match) return;
    const [, scheme = '', id = '', separator = '', signature = ''] = match;
    Object.assign(r, { scheme, separator });
    const isRight = /^Bearer [^|\s]+\|\S+$/.test(r.header);
    r.partner = partners.get(id) ?? null;
    if (!isRight && !form.forgives?.('authorization-shape', r, '')) {
      r.partner = null;
      return;
    }
    r.signature = signature;
    if (!r.partner) {
      r.partner = form.finds?.(id, all, r) ?? null;
      r.isUnknown = true;
    }
  }
  if (r.kind === 'user') r.user = r.partner?.codes.get(textOf(r.fields['auth_code'])) ?? 'the-user';
}

function checkSignature(r: Attempt, partner: Partner): void {
  const { style, form } = r.service;
  const { tokenFields: names } = style;
  const pairs = Object.fromEntries(
    Object.entries(r.fields).filter(([name]) => names === 'all' || names.includes(name)),
  );
  requireSignature(r, partner, pairs, form.reading?.(r) ?? {});
}

/** @throws Refused unless the pairs are signed as they should be */
export function requireSignature(
  r: Attempt,
  partner: Partner,
  pairs: Fields,
  reading: Partial<Reading>,
): void {
  const sent = r.signature?.toLowerCase() ?? '';
  const isSigned = (
    some: Fields = pairs,
    key = partner.key,
    other: Partial<Reading> = reading,
  ): boolean => signatureOf(some, key, other) === sent;
  const isAccepted = isSigned() || (r.service.form.signs?.(r, isSigned, pairs) ?? false);
  need(isAccepted, 'signature', r);
}

function checkFields(r: Attempt, partner: Partner): void {
  const { style } = r.service;
  const { fields } = r;
  if (
    style.refusesUnknownFields &&
    Object.keys(fields).some((name) => !KNOWN_FIELDS.includes(name))
  )
    throw new Refused('field');
  if (style.refusesEmptyFields && Object.values(fields).includes('')) throw new Refused('field');
  checkTime(r);
  const nostr = fields['nostr'];
  need(nostr !== undefined, 'nostr-missing', r);
  if (nostr === undefined) return;
  const text = textOf(nostr);
  need(Array.from(text).length === 6, 'nostr-length', r, text);
  need(/^[0-9A-Za-z]*$/.test(text), 'nostr-alphabet', r, text);
  if (style.nostrOnce === true && partner.nostrs.has(text)) throw new Refused('nostr');
  partner.nostrs.add(text);
}

/** @throws Refused if a request had that nostr before, whatever became of it */
function refuseUsedNostr({ fields }: Attempt, { nostrs }: Partner): void {
  const text = textOf(fields['nostr']);
  if (nostrs.has(text)) throw new Refused('nostr');
  nostrs.add(text);
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$/;

function checkTime(r: Attempt): void {
  const { environment, style, form } = r.service;
  const time = r.fields['_'];
  need(time !== undefined, 'time-missing', r);
  if (time === undefined) return;
  if (environment === 'test' && !form.forgives?.('time-checked-in-test', r, textOf(time))) return;
  const text = textOf(time);
  const isIso = typeof time === 'string' && ISO.test(text) && (style.timeForm?.test(text) ?? true);
  need(isIso, 'time-form', r, text);
  if (!isIso) return;
  const ageMs = r.service.now() - Date.parse(/[Z]$|[+-]\d\d:?\d*$/.test(text) ? text : `${text}Z`);
  need(!Number.isNaN(ageMs), 'time-form', r, text);
  if (Number.isNaN(ageMs)) return;
  need(ageMs <= 600_000, 'time-old', r, String(ageMs));
  if (ageMs < -(style.futureMs ?? 30_000) && !form.forgives?.('time-future', r, String(ageMs)))
    throw new Refused('time');
}
