import type { CheckContext } from '../../contract/check.ts';

/** The time that many seconds ago in UTC with Z, whatever form the target takes. */
export function utcOf(ctx: Pick<CheckContext, 'timestamp'>, secondsAgo = 0): string {
  const text = ctx.timestamp(secondsAgo);
  const hasZone = /(Z|[+-]\d\d:\d\d)$/.test(text);
  return new Date(hasZone ? text : `${text}Z`).toISOString();
}

/** The current time with an offset from UTC. */
export function withOffset(
  ctx: Pick<CheckContext, 'timestamp'>,
  offset: string,
  minutes: number,
): string {
  const local = new Date(Date.parse(utcOf(ctx)) + minutes * 60_000);
  return local.toISOString().slice(0, 19) + offset;
}

/** A time within the last second, so that it never lies ahead, with three digits of its fraction. */
export function withFraction(ctx: Pick<CheckContext, 'timestamp'>): string {
  return `${utcOf(ctx, 1).slice(0, 19)}.250Z`;
}

/** The current time without separators. */
export function inBasicFormat(ctx: Pick<CheckContext, 'timestamp'>): string {
  return `${utcOf(ctx).slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}
