import { elapsed } from '../../model/elapsed.ts';
import type { Step, Walk } from '../contract/walk.ts';
import { wordsOfRequest } from './play.ts';
import type { Surprise } from './surprise.ts';

const NAMES = ['', " of the walk's second partner"];

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
  return `${request}${user}${NAMES[step.partner] ?? ''}${of}${twists}`;
}
