import { z } from 'zod';
import { ALLOWANCE_KINDS, type AllowanceKind } from '../interface/limits.ts';

/**
 * Time for which a sent request may count against an allowance: a day, be it the last 24 hours or
 * the calendar day of any zone (25 hours where clocks are set back).
 */
export const ALLOWANCE_WINDOW_MS = 25 * 3_600_000;

/** Time by two clocks, so that one that was set shows. */
export interface Instant {
  /** Wall clock, ms since the epoch. */
  readonly atMs: number;
  /** Time since the start of the system, suspension included, ms. */
  readonly uptimeMs: number;
  /** That start; empty if the platform does not name it, and then there is one clock only. */
  readonly bootId: string;
}

const count = z.int().nonnegative();
const text = z.string().min(1);
const fields = {
  id: text,
  target: text,
  atMs: z.number(),
  uptimeMs: z.number(),
  bootId: z.string(),
};
const ofPartner = { ...fields, partner: text };

/** A line of a ledger; all that follows from it is computed. */
const entrySchema = z.union([
  z.strictObject({ ...ofPartner, kinds: z.array(z.enum(ALLOWANCE_KINDS)).readonly() }),
  /** Requests of a day that count no longer, unless the clock was wrong; the time is that of the last. */
  z.strictObject({
    ...ofPartner,
    day: z.iso.date(),
    sum: z.strictObject({ platform: count, user: count, refresh: count }),
  }),
  /** Hash of an auth code that was sent: such codes are good once. */
  z.strictObject({ ...ofPartner, code: text }),
  z.strictObject({ ...ofPartner, bannedForMs: z.number() }),
  /** Request that the target accepted: it was within the allowance. Known of targets that begin anew. */
  z.strictObject({ ...ofPartner, accepted: z.enum(ALLOWANCE_KINDS) }),
  /** Request that the target refused. Known of targets that count none of these. */
  z.strictObject({ ...ofPartner, refused: z.array(z.enum(ALLOWANCE_KINDS)).readonly() }),
  /** Start of a target that has no memory of what was spent before, as its user says. */
  z.strictObject({ ...fields, startedAnew: z.literal(true) }),
  /** Folder of the last check of the target by a whole suite. */
  z.strictObject({ ...fields, lastRun: text }),
]);

/** A line of a ledger. */
export type Entry = z.infer<typeof entrySchema>;

/** An entry without what the ledger adds to it. */
export type Content = Entry extends infer One
  ? One extends Entry
    ? Omit<One, 'id' | keyof Instant>
    : never
  : never;

/** Reads a line; null for anything else. */
export function parseEntry(line: string): Entry | null {
  try {
    return entrySchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** Time since an entry, ms: by the clock that says less, as either may have been set. */
export function elapsedMs(entry: Instant, now: Instant): number {
  const wallMs = now.atMs - entry.atMs;
  const isSameStart = entry.bootId !== '' && entry.bootId === now.bootId;
  const upMs = now.uptimeMs - entry.uptimeMs;
  // A container may count from its own start.
  return isSameStart && upMs >= 0 ? Math.min(wallMs, upMs) : wallMs;
}

/** Requests that an entry adds to each allowance while it counts. */
export function requestsOf(entry: Entry): Readonly<Record<AllowanceKind, number>> {
  if ('sum' in entry) return entry.sum;
  const requests = { platform: 0, user: 0, refresh: 0 };
  if ('kinds' in entry) for (const kind of entry.kinds) requests[kind]++;
  return requests;
}

/** Longest difference of two clocks that nobody has set. */
const DRIFT_MS = 5 * 60_000;

/** Words for a wall clock that was set since an entry; null where neither clock shows it. */
export function clockNote(last: Instant | undefined, now: Instant): string | null {
  if (!last) return null;
  const wallMs = now.atMs - last.atMs;
  const isSameStart = last.bootId !== '' && last.bootId === now.bootId;
  const upMs = now.uptimeMs - last.uptimeMs;
  const knownMs = isSameStart && upMs >= 0 ? upMs : Math.max(0, wallMs);
  const shiftMs = wallMs - knownMs;
  if (Math.abs(shiftMs) <= DRIFT_MS) return null;
  const by = `${Math.round(Math.abs(shiftMs) / 60_000)} min`;
  const how = shiftMs > 0 ? `jumped ${by} forward` : `went ${by} back`;
  return `the clock of this machine ${how} since the last request that the ledger has; requests count until they are a day old by either reading. Set the clock right.`;
}

/**
 * Sums up requests that count no longer, by target, partner and day, so that the file stays short. No
 * spending is dropped: whether an entry is old is the word of a clock.
 *
 * @param nonce makes the id of a sum
 */
export function foldOld(
  entries: readonly Entry[],
  now: Instant,
  nonce: () => string,
): readonly Entry[] {
  const lastStart = new Map<string, number>();
  const lastRun = new Map<string, number>();
  for (const [at, entry] of entries.entries()) {
    if ('startedAnew' in entry) lastStart.set(entry.target, at);
    if ('lastRun' in entry) lastRun.set(entry.target, at);
  }
  const sums = new Map<string, { at: number; members: Entry[] }>();
  const kept = new Map<number, Entry>();
  for (const [at, entry] of entries.entries()) {
    const start = lastStart.get(entry.target) ?? -1;
    const isOld = elapsedMs(entry, now) >= ALLOWANCE_WINDOW_MS;
    if ('sum' in entry || ('kinds' in entry && isOld)) {
      const day = 'sum' in entry ? entry.day : dayOf(entry);
      const key = JSON.stringify([entry.target, entry.partner, day, at > start]);
      sums.set(key, { at, members: [...(sums.get(key)?.members ?? []), entry] });
    } else if ('lastRun' in entry) {
      if (lastRun.get(entry.target) === at) kept.set(at, entry);
    } else if (at === start || !(isOld && isDropped(entry))) {
      kept.set(at, entry);
    }
  }
  for (const { at, members } of sums.values()) kept.set(at, sumOf(members, nonce));
  return [...kept].sort(([one], [other]) => one - other).map(([, entry]) => entry);
}

/** Checks for an entry that says nothing once it is old. */
const isDropped = (entry: Entry): boolean =>
  'startedAnew' in entry || 'accepted' in entry || 'refused' in entry;

function dayOf({ atMs }: Instant): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

function sumOf(members: readonly Entry[], nonce: () => string): Entry {
  const last = members.at(-1);
  if (members.length === 1 && last && 'sum' in last) return last;
  const sum = { platform: 0, user: 0, refresh: 0 };
  for (const member of members)
    for (const kind of ALLOWANCE_KINDS) sum[kind] += requestsOf(member)[kind];
  const { target, partner, uptimeMs, bootId } = last as Extract<Entry, { partner: string }>;
  // Entries of a clock that went back come after later ones.
  const atMs = Math.max(...members.map((member) => member.atMs));
  const day = last && 'day' in last ? last.day : dayOf({ atMs, uptimeMs, bootId });
  return { id: nonce(), target, partner, atMs, uptimeMs, bootId, day, sum };
}
