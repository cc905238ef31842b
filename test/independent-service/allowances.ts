import type { Attempt } from './form.ts';
import { DAY_MS, type Kind, type Partner, Refused, textOf } from './state.ts';

const LIMIT: Record<Kind, number> = { platform: 10, user: 5, refresh: 10 };

/** @throws Refused while a ban of the kind lasts */
export function refuseBanned(r: Attempt, partner: Partner, kind: Kind): void {
  const { service } = r;
  const { style, form } = service;
  const reach: Kind[] = style.banReach === 'kind' ? [kind] : ['platform', 'user', 'refresh'];
  const own = Math.max(0, ...reach.map((some) => partner.bannedUntil[some] ?? 0));
  const until = form.banUntil?.(partner, kind, r, own) ?? own;
  if (until <= service.now()) return;
  if (style.extendsBan) {
    for (const some of reach)
      if (partner.bannedUntil[some]) partner.bannedUntil[some] = service.now() + banMs(r, kind);
  }
  throw new Refused('banned');
}

const banMs = (r: Attempt, kind: Kind): number => r.service.form.banMs?.(kind, r) ?? DAY_MS;

/** Requests of today that count against the allowance of a kind. */
export function countedToday(r: Attempt, partner: Partner, kind: Kind): number {
  const { style, form, now } = { ...r.service, now: r.service.now() };
  const dayOf = (at: number): number =>
    style.day === 'rolling' ? 0 : Math.floor((at + style.day * 3_600_000) / DAY_MS);
  return partner.asked.filter((one) => {
    const isToday = style.day === 'rolling' ? one.at > now - DAY_MS : dayOf(one.at) === dayOf(now);
    const isMine =
      kind !== 'user' ||
      style.userAllowancePer === 'partner' ||
      one.user === (r.user ?? 'the-user');
    const isCounted = isToday && one.kind === kind && isMine;
    return form.counts?.(one, r, isCounted) ?? isCounted;
  }).length;
}

/** Counts a request; the one too many bans its kind. @throws Refused */
export function count(r: Attempt, partner: Partner, kind: Kind, before: number): void {
  const { service } = r;
  if (before >= (service.form.limit?.(kind, r) ?? LIMIT[kind])) {
    partner.bannedUntil[kind] = service.now() + banMs(r, kind);
    service.bans.push(partner.id);
    throw new Refused('quota');
  }
  const scope = textOf(r.fields['scope'] ?? 'public');
  partner.asked.push({
    kind,
    at: service.now(),
    user: r.user ?? 'the-user',
    scope,
    family: r.refresh?.family ?? '',
  });
  service.counted.set(partner.id, (service.counted.get(partner.id) ?? 0) + 1);
}
