import { expect, it } from 'vitest';
import { NEAR } from '../../../src/server/faults/near-texts.ts';

const KNOWN = 'abc-Defgh-123_x-';

it.each<[string, readonly string[], readonly string[]]>([
  ['other-case', [KNOWN.toUpperCase()], [`${KNOWN}a`]],
  ['suffix', [`${KNOWN}a`], [`a${KNOWN}`]],
  ['prefix', [`a${KNOWN}`], [`${KNOWN}a`]],
  ['cut-by-one', [KNOWN.slice(0, -1), KNOWN.slice(0, -2)], [KNOWN.slice(0, -3), KNOWN]],
  ['last-character', ['abc-Defgh-123_x+', 'abc-Defgh-123_y-'], ['abc-Defgh-123_x', `z${KNOWN}`]],
  ['first-character', ['zbc-Defgh-123_x-'], ['bc-Defgh-123_x-', 'abc-Defgh-123_y-']],
  ['first-eight', ['abc-Defg'], ['abc-Defz']],
  ['one-in-the-middle', ['abc-Defgh.123_x-'], [KNOWN, 'abc.Defgh.123_x-', 'abc-Defgh-123_x']],
])('%s: some texts are near to a credential, and others not', (name, near, far) => {
  const [, isNear] = NEAR[name]!;
  for (const sent of near) expect({ sent, is: isNear(KNOWN, sent) }).toEqual({ sent, is: true });
  for (const sent of far) expect({ sent, is: isNear(KNOWN, sent) }).toEqual({ sent, is: false });
});

it('each comparison is in the table above', () => {
  expect(Object.keys(NEAR)).toHaveLength(8);
});
