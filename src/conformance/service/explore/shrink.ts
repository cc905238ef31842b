import type { RequestStep, Step, Walk } from '../contract/walk.ts';
import { rowOf } from './rows.ts';

/** Most requests that shrinking one walk costs. */
const MOST_REQUESTS = 300;

/** Checks whether a walk shows the same surprise; a shorter one that does not is given up. */
export type Shows = (walk: Walk) => Promise<boolean>;

/** Steps that send a request to be judged. */
export const requestsOf = (steps: readonly Step[]): RequestStep[] =>
  steps.filter((step) => step.do === 'token' || step.do === 'estimate');

const costOf = (steps: readonly Step[]): number =>
  requestsOf(steps).reduce((sum, { twice }) => sum + (twice ? 2 : 1), 0);

/** Steps that others need, and those that they need in turn. */
function needed(steps: readonly Step[], ids: ReadonlySet<number>): Set<number> {
  const all = new Set(ids);
  for (const step of steps.toReversed())
    if (all.has(step.id) && 'of' in step && step.of !== undefined) all.add(step.of);
  return all;
}

/** Waits one after the other are one. */
function joined(steps: readonly Step[]): Step[] {
  const all: Step[] = [];
  for (const step of steps) {
    const last = all.at(-1);
    if (step.do === 'wait' && last?.do === 'wait')
      all[all.length - 1] = { ...last, seconds: last.seconds + step.seconds };
    else all.push(step);
  }
  return all;
}

/** Shrinks a walk to few steps that show the same surprise, by at most {@link MOST_REQUESTS} requests. */
export async function shrink(walk: Walk, shows: Shows): Promise<Walk> {
  const shrinking = new Shrinking(walk, shows);
  await shrinking.byNeed();
  await shrinking.byParts();
  await shrinking.byChains();
  await shrinking.byTwists();
  // A step that only a twist needed can go now.
  await shrinking.byParts();
  return shrinking.walk;
}

class Shrinking {
  walk: Walk;
  readonly #shows: Shows;
  #left = MOST_REQUESTS;

  constructor(walk: Walk, shows: Shows) {
    this.walk = walk;
    this.#shows = shows;
  }

  /** Tries first what the surprise depends on: its tokens, and the moves of the clock. */
  async byNeed(): Promise<void> {
    const { steps } = this.walk;
    const last = steps.at(-1)!;
    const kept = needed(steps, new Set([last.id]));
    const partner = 'partner' in last ? last.partner : 0;
    const ofPartner = (step: Step): boolean => 'partner' in step && step.partner === partner;
    const isSameKind = (step: Step): boolean =>
      ofPartner(step) && step.do === 'token' && last.do === 'token' && step.grant === last.grant;
    const candidates: ((step: Step) => boolean)[] = [
      () => false,
      ({ do: kind }) => kind === 'wait',
      (step) => step.do === 'token' && ofPartner(step),
      (step) => step.do === 'wait' || isSameKind(step),
      (step) => step.do === 'wait' || (step.do === 'token' && ofPartner(step)),
      ofPartner,
      (step) => step.do === 'wait' || ofPartner(step),
    ];
    for (const isAlso of candidates) {
      const also = new Set(
        steps.filter((step) => kept.has(step.id) || isAlso(step)).map(({ id }) => id),
      );
      const left = steps.filter(({ id }) => needed(steps, also).has(id));
      for (const one of [...plainer(last), last])
        if (await this.#try([...left.slice(0, -1), one])) return;
    }
  }

  /** Leaves out halves, quarters, and single steps, with all that needs them. */
  async byParts(): Promise<void> {
    for (let size = this.walk.steps.length >> 1; size >= 1; size >>= 1) {
      for (let at = Math.max(0, this.walk.steps.length - 1 - size); at >= 0; at -= size) {
        const { steps } = this.walk;
        const gone = new Set(
          steps.slice(at, Math.min(at + size, steps.length - 1)).map(({ id }) => id),
        );
        const left = withoutNeeding(steps, gone);
        if (gone.size > 0 && left.at(-1)?.id === steps.at(-1)?.id) await this.#try(left);
        if (at > 0 && at < size) at = size;
      }
    }
  }

  /** Leaves out refreshes: what uses the token of one uses that of the step before. */
  async byChains(): Promise<void> {
    for (const { do: kind, id, of } of requestsOf(this.walk.steps.slice(0, -1)).toReversed()) {
      if (kind !== 'token' || of === undefined) continue;
      const others = this.walk.steps.filter((step) => step.id !== id);
      await this.#try(
        others.map((step) => ('of' in step && step.of === id ? { ...step, of } : step)),
      );
    }
  }

  /** Leaves out twists, the last step's first, and sends once what was sent twice at once. */
  async byTwists(): Promise<void> {
    for (const { id } of this.walk.steps.toReversed()) {
      await this.#try(this.walk.steps.map((step) => (step.id === id ? once(step) : step)));
      const twistsOf = (): readonly unknown[] => {
        const step = this.walk.steps.find((one) => one.id === id);
        return step && 'twists' in step ? step.twists : [];
      };
      for (let at = twistsOf().length - 1; at >= 0; at--)
        await this.#try(
          this.walk.steps.map((step) =>
            step.id === id && 'twists' in step
              ? { ...step, twists: step.twists.toSpliced(at, 1) }
              : step,
          ),
        );
    }
  }

  async #try(steps: readonly Step[]): Promise<boolean> {
    const walk = { ...this.walk, steps: joined(steps) };
    const cost = costOf(walk.steps);
    if (cost > this.#left || JSON.stringify(walk) === JSON.stringify(this.walk)) return false;
    this.#left -= cost;
    if (!(await this.#shows(walk))) return false;
    this.walk = walk;
    return true;
  }
}

function once(step: Step): Step {
  if (!('twice' in step)) return step;
  const { twice: _twice, ...one } = step;
  return one;
}

/** The step without twists, and without those that earlier steps showed to be taken. */
function plainer(step: Step): Step[] {
  if (!('twists' in step) || step.twists.length === 0) return [];
  const kept = step.twists.filter(({ name }) => rowOf(step, name)?.is !== 'open');
  const without = { ...step, twists: [] };
  return kept.length === step.twists.length ? [without] : [without, { ...step, twists: kept }];
}

/** Steps without some, and without what needs them. */
function withoutNeeding(steps: readonly Step[], gone: ReadonlySet<number>): Step[] {
  const all = new Set(gone);
  for (const step of steps)
    if ('of' in step && step.of !== undefined && all.has(step.of)) all.add(step.id);
  return steps.filter(({ id }) => !all.has(id));
}
