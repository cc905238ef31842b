import { expect, it } from 'vitest';
import { type Circumstance, distinctionOf } from '../../../src/conformance/model/distinction.ts';

const CIRCUMSTANCES: readonly Circumstance<number>[] = [
  ['above ten', (one) => one > 10],
  ['even', (one) => one % 2 === 0],
];

it.each([
  [
    'names what all that were accepted have, and none that was refused',
    [12, 14],
    [11, 13],
    ', even',
  ],
  ['names each of several', [12, 14], [3], ', above ten, even'],
  ['names nothing that one which was refused has too', [12, 14], [16], ''],
  ['names nothing that one which was accepted lacks', [12, 7], [3], ''],
  ['names nothing where none was refused', [12, 14], [], ''],
])('%s', (_title, accepted, refused, words) => {
  expect(distinctionOf(accepted, refused, CIRCUMSTANCES)).toBe(words);
});
