import { count, countedToday } from './allowances.ts';
import type { Attempt, Fields } from './form.ts';
import { need } from './refusals.ts';
import {
  type AccessToken,
  type Kind,
  type Partner,
  type RefreshToken,
  Refused,
  textOf,
} from './state.ts';

/** State that requests at once see: as it was when they came. */
export async function beforeOthers(
  r: Attempt,
  partner: Partner,
  kind: Kind,
): Promise<{ counted: number; wasUsed: boolean }> {
  const state = { counted: countedToday(r, partner, kind), wasUsed: r.refresh?.usedAt != null };
  // In steps, one of which a stall takes: the others leave time for the requests to arrive.
  for (let step = 0; step < 15; step++) await r.service.sleep(1);
  return state;
}

/** Issues tokens for a request that was read. @throws Refused */
export function issue(
  r: Attempt,
  partner: Partner,
  kind: Kind,
  stale: { counted: number; wasUsed: boolean } | null,
): { status: number; json: Fields } {
  const { service, fields } = r;
  const { form, style } = service;
  const now = service.now();
  if (kind === 'user') {
    const code = fields['auth_code'];
    need(code !== undefined, 'code-missing', r);
    need(code === undefined || partner.codes.has(textOf(code)), 'code-unknown', r, textOf(code));
    if ((service.codeEnds.get(textOf(code)) ?? now) < now) throw new Refused('code');
  }
  if (kind === 'refresh') requireRefresh(r, partner, stale?.wasUsed ?? false);
  count(r, partner, kind, stale?.counted ?? countedToday(r, partner, kind));
  if (kind === 'user' && !style.keepsCodes) partner.codes.delete(textOf(fields['auth_code']));
  const from = r.refresh;
  const { scope: asked } = fields;
  const isAsked = typeof asked === 'string' && asked.trim() !== '';
  const scopeOf = style.scopeOf ?? ((one, before) => before ?? one ?? 'public');
  const scope = scopeOf(isAsked ? asked : undefined, from?.scope);
  const tokenText = style.tokenText ?? ((unique) => unique);
  const generation = from ? from.generation + 1 : 0;
  const { expiresIn } = style;
  const life = typeof expiresIn === 'function' ? expiresIn(kind, service.chance) : expiresIn;
  const access: AccessToken = {
    text: tokenText(service.serial('at')),
    partner,
    user: r.user,
    scope,
    issued: now,
    expires: now + life * 1000,
    generation,
    endedAt: null,
    usedAt: null,
    uses: 0,
  };
  const refresh: RefreshToken = {
    text: tokenText(service.serial('rt')),
    partner,
    user: r.user,
    scope,
    family: from?.family ?? service.serial('f'),
    generation,
    issued: now,
    access,
    usedAt: null,
    replays: 0,
    successor: null,
  };
  if (from) {
    from.usedAt ??= now;
    from.successor = refresh;
  }
  for (const older of service.tokens.values()) {
    if (older.partner !== partner || older.endedAt !== null) continue;
    const isReplaced = access.user !== null && older.user === access.user;
    if (form.ends?.(older, access, r, isReplaced) ?? isReplaced) older.endedAt = now;
  }
  const json: Fields = {
    access_token: access.text,
    refresh_token: refresh.text,
    expires_in_second: life,
    token_type: style.tokenType,
    scope,
    ...(style.extraFields ? { openid: null, ext: { a: [1] } } : {}),
  };
  r.token = access;
  form.answers?.(json, r);
  service.tokens.set(textOf(json['access_token']), access);
  if (json['refresh_token'] !== fields['refresh_token'])
    service.refreshes.set(textOf(json['refresh_token']), refresh);
  else if (from) from.usedAt = null;
  return { status: form.status?.(r) ?? 200, json };
}

function requireRefresh(r: Attempt, partner: Partner, wasUsed: boolean | null): void {
  const { service, refresh, fields } = r;
  const { style } = service;
  need(fields['refresh_token'] !== undefined, 'refresh-missing', r);
  if (fields['refresh_token'] === undefined) return;
  need(refresh !== null, 'refresh-unknown', r);
  if (!refresh) return;
  need(refresh.partner === partner, 'refresh-foreign', r);
  const isUsed = refresh.usedAt !== null;
  if (isUsed) service.replayed.push(refresh.text);
  if (isUsed && (wasUsed !== false || !service.form.races?.(r))) {
    try {
      need(false, 'refresh-used', r);
    } catch (error) {
      refresh.replays++;
      if (style.replayEndsFamily)
        for (const one of service.refreshes.values())
          if (one.family === refresh.family) one.usedAt ??= service.now();
      throw error;
    }
  }
}
