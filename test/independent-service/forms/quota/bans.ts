import type { Form } from '../../form.ts';
import { DAY_MS, HOUR_MS, type Kind, MINUTE_MS } from '../../state.ts';
import { BASE } from '../base.ts';

const ban = (ms: number, which?: Kind): Form => ({
  banMs: (kind) => (which === undefined || kind === which ? ms : undefined),
});

/** A ban whose end is another one. */
const banEnds = (endOf: (startMs: number) => number): Form => ({
  banMs: (_kind, r) => Math.max(0, endOf(r.service.now()) - r.service.now()),
});

/** Bans that are shorter or longer, or affect another partner. */
export const BANS: Readonly<Record<string, Form>> = {
  ...Object.fromEntries(
    (['platform', 'user', 'refresh'] as const).flatMap((kind) => [
      [`quota/ban-lasts-24h#${kind}-hour`, ban(HOUR_MS, kind)],
      [`quota/ban-lasts-24h#${kind}-12-hours`, ban(12 * HOUR_MS, kind)],
      [`quota/ban-lasts-24h#${kind}-23-hours`, ban(23 * HOUR_MS, kind)],
      [
        `quota/ban-lasts-24h#${kind}-none`,
        {
          banUntil: (_partner, one, _r, until) => (one === kind ? 0 : until),
          counts: (one, r, isCounted) =>
            isCounted &&
            !(
              r.kind === kind &&
              r.service.bans.includes(r.partner?.id ?? '') &&
              one.at < r.service.now() - MINUTE_MS
            ),
        } satisfies Form,
      ],
      [`quota/ban-lifts#${kind}-25-hours`, ban(25 * HOUR_MS, kind)],
      [`quota/ban-lifts#${kind}-two-days`, ban(2 * DAY_MS, kind)],
      [`quota/ban-lifts#${kind}-never`, ban(4000 * DAY_MS, kind)],
      [
        `quota/ban-lifts#${kind}-allowance-less`,
        {
          limit: (one, r) =>
            one === kind && r.service.bans.includes(r.partner?.id ?? '') ? 1 : undefined,
        } satisfies Form,
      ],
      [
        `quota/per-partner#${kind}`,
        {
          banUntil: (partner, one, r, until) =>
            one === kind
              ? (BASE['quota/per-partner']!.banUntil?.(partner, one, r, until) ?? until)
              : until,
        } satisfies Form,
      ],
    ]),
  ),
  'quota/ban-lasts-24h#lifted-by-a-refusal': {
    banUntil: (partner, kind, r, until) => {
      if (until > r.service.now() + MINUTE_MS)
        partner.bannedUntil[kind] = r.service.now() + MINUTE_MS;
      return until;
    },
  },
  'quota/ban-lasts-24h#lifted-by-a-user-token': {
    answers: (_json, { kind, partner }) => {
      if (kind === 'user' && partner) partner.bannedUntil.platform = 0;
    },
  },
  'quota/ban-lasts-24h#until-midnight': {
    banUntil: (_partner, _kind, r, until) =>
      until > 0 && Math.floor((until - DAY_MS) / DAY_MS) < Math.floor(r.service.now() / DAY_MS)
        ? 0
        : until,
  },
  'quota/ban-lasts-24h#with-scope': {
    banUntil: (_partner, _kind, r, until) => ('scope' in r.fields ? 0 : until),
    limit: (_kind, r) => ('scope' in r.fields ? 100 : undefined),
  },
  'quota/ban-lasts-24h#to-the-hour': banEnds(
    (startMs) => Math.floor((startMs + DAY_MS) / HOUR_MS) * HOUR_MS,
  ),
  'quota/ban-lasts-24h#to-the-midnight': banEnds(
    (startMs) => (Math.floor(startMs / DAY_MS) + 1) * DAY_MS,
  ),
  'quota/ban-lasts-24h#from-the-first': {
    banMs: (kind, r) => {
      const first = r.partner?.asked.findLast(
        (one, at, all) =>
          one.kind === kind &&
          all.filter((some) => some.kind === kind).indexOf(one) === 0 &&
          at >= 0,
      );
      return first ? first.at + DAY_MS - r.service.now() : undefined;
    },
  },
  'quota/ban-lasts-24h#begun-with-scope': {
    banMs: (_kind, r) => ('scope' in r.fields ? HOUR_MS : undefined),
  },
  'quota/ban-lasts-24h#one-at-a-time': {
    banUntil: (partner, _kind, _r, until) => {
      const last = Math.max(0, ...Object.values(partner.bannedUntil).map((one) => one ?? 0));
      return until < last ? 0 : until;
    },
  },
  'quota/ban-lasts-24h#second-shorter': {
    banMs: (_kind, r) => (r.service.bans.some((id) => id === r.partner?.id) ? HOUR_MS : undefined),
  },
  'quota/ban-lifts#second-midnight': banEnds(
    (startMs) => (Math.floor(startMs / DAY_MS) + 2) * DAY_MS,
  ),
  'quota/ban-lifts#31-hours': banEnds((startMs) => startMs + 31 * HOUR_MS),
};
