/** A world as plain data: the same plan makes the same world. */
export interface Plan {
  readonly seed: number;
}

/** Breach of an invariant. */
export interface Breach {
  readonly invariant: string;
  readonly what: string;
}

/** Outcome of one world. */
export interface Outcome<P extends Plan = Plan> {
  readonly plan: P;
  readonly breaches: readonly Breach[];
  /** Number of occasions of each invariant. */
  readonly occasions: Readonly<Record<string, number>>;
  /** Number of times that each fault came. */
  readonly met: Readonly<Record<string, number | undefined>>;
}

/** A kind of world, whose programs and invariants are its own. */
export interface WorldKind<P extends Plan> {
  draw(seed: number): P;
  run(plan: P): Promise<Outcome<P>>;
  /** The same world with one thing less, the largest ones first. */
  smaller(plan: P): readonly P[];
}

/** Number of occasions of an invariant in a world, and how it was broken. */
export interface Held {
  readonly occasions: number;
  readonly breaches: readonly string[];
}

/** Invariants of a kind of world, by what they say. */
export type Invariants<World> = Readonly<Record<string, (world: World) => Held | Promise<Held>>>;

/** Judges a world by every invariant. */
export async function judge<World>(
  invariants: Invariants<World>,
  world: World,
): Promise<Pick<Outcome, 'breaches' | 'occasions'>> {
  const breaches: Breach[] = [];
  const occasions: Record<string, number> = {};
  for (const [invariant, holds] of Object.entries(invariants)) {
    const held = await holds(world);
    occasions[invariant] = held.occasions;
    breaches.push(...held.breaches.map((what) => ({ invariant, what })));
  }
  return { breaches, occasions };
}

/** An invariant without an occasion. */
export const NOTHING: Held = { occasions: 0, breaches: [] };

/** An invariant by its occasions, each with its breaches. */
export function heldOf(each: readonly (readonly string[])[]): Held {
  return { occasions: each.length, breaches: each.flat() };
}

/** Every list with one element less. */
export function without<T>(list: readonly T[]): T[][] {
  return list.map((_, left) => list.filter((_one, at) => at !== left));
}
