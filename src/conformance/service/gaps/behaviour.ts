import { type BehaviourInput, behaviourSchema } from '../../../interface/behaviour-schema.ts';
import { GAPS, type GapId } from '../../../interface/gaps.ts';
import type { ObservedGap } from './probe.ts';

/** One gap with its observed setting. */
export interface ObservedSetting {
  readonly id: GapId;
  /** The observed setting; undefined if nothing was observed that a setting can express. */
  readonly value: unknown;
  /** The observation, or the reason why there is none; one line, whatever the target wrote. */
  readonly words: string;
}

/** Every gap with its observed setting, if there is one. */
export function observedSettings(
  gaps: readonly Pick<ObservedGap, 'id' | 'observed' | 'note'>[],
): ObservedSetting[] {
  return GAPS.map(({ id }) => {
    const gap = gaps.find((one) => one.id === id);
    const words = oneLine(gap?.observed?.words ?? gap?.note ?? 'not probed');
    const value = gap?.observed?.value;
    return { id, words, value: isSetting(id, value) ? value : undefined };
  });
}

/**
 * The observed settings as a behaviour, with which a server answers the gaps as the target does.
 */
export function observedBehaviour(
  gaps: readonly Pick<ObservedGap, 'id' | 'observed' | 'note'>[],
): BehaviourInput {
  const settings = observedSettings(gaps).filter(({ value }) => value !== undefined);
  return Object.fromEntries(settings.map(({ id, value }) => [id, value]));
}

/**
 * Checks the value: a document may come from anywhere, and a target may do what no setting
 * expresses.
 */
function isSetting(id: GapId, value: unknown): boolean {
  return value !== undefined && behaviourSchema.safeParse({ [id]: value }).success;
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}
