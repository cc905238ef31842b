import { expect, it } from 'vitest';
import { createRandom } from '../../src/load/seeded-random.ts';

it.each([
  [1, '', [4139453499, 688558895, 3051679869, 3119126793]],
  [1, 'arrivals', [278458514, 3778252567, 3435310495, 1433320524]],
  [2, '', [2829589107, 2494350877, 4237087879, 1017951341]],
  [123456789, 'bootstrap', [4245079665, 937269081, 756156718, 2012751370]],
] as const)('seed %d, stream %j: the same numbers on every machine', (seed, stream, words) => {
  const random = createRandom(seed, stream);
  expect(words.map(() => random() * 2 ** 32)).toEqual(words);
});
