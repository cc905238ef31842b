import { elapsed } from '../../model/elapsed.ts';
import type { Grant, RequestStep, Step, Walk } from '../contract/walk.ts';
import type { Surprise } from './stage.ts';

const PARTNERS = ['', " of the walk's second partner"];

const KINDS: Readonly<Record<Grant, string>> = {
  platform: 'a platform token request',
  user: 'an exchange of an auth_code',
  refresh: 'a refresh',
};

/** A request in words. */
export function wordsOfRequest(step: RequestStep, twists: readonly string[]): string {
  const what = step.do === 'token' ? KINDS[step.grant] : `an estimate of a ${step.as}`;
  return [step.twice ? `twice at once ${what}` : what, ...twists].join(', ');
}

/** Steps of a walk in words, one a line; the last says what came. */
export function wordsOf({ steps }: Walk, surprise: Surprise): string[] {
  const placeOf = (id: number): number => steps.findIndex((step) => step.id === id) + 1;
  return steps.map((step, at) => {
    const words = stepWords(step, placeOf);
    const isLast = at === steps.length - 1;
    return `${at + 1}. ${words}${isLast ? `: ${surprise.reason}` : ''}`;
  });
}

function stepWords(step: Step, placeOf: (id: number) => number): string {
  if (step.do === 'wait') return `${elapsed(step.seconds * 1000)} later`;
  if (step.do === 'lock') return `the lock of the estimate of step ${placeOf(step.of)}`;
  const of = step.of === undefined ? '' : ` with the token of step ${placeOf(step.of)}`;
  const user = step.do === 'token' && step.user === 'b' ? ' of another user' : '';
  const request = wordsOfRequest(step, []);
  const twists = step.twists.map(({ name }) => `, ${name}`).join('');
  return `${request}${user}${PARTNERS[step.partner] ?? ''}${of}${twists}`;
}
