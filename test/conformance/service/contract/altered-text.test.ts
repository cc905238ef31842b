import { describe, expect, it } from 'vitest';
import { mayBeIssued } from '../../../../src/conformance/service/contract/altered-text.ts';

describe('a credential that was altered', () => {
  it.each([
    ['is counted up', 'code-14', ['code-11', 'code-12', 'code-13']],
    ['is a known one', 'code-12', ['code-11', 'code-12']],
  ])('may be another one that was issued if it %s', (_how, altered, known) => {
    expect(mayBeIssued(altered, 'code-11', known)).toBe(true);
  });

  it.each([
    ['changed elsewhere', 'Xode-11', ['code-11', 'code-12']],
    ['no other is known', 'code-12', ['code-11']],
    ['others differ in more places', 'code-12', ['code-11', 'abcd-98']],
    ['of another kind there', 'code-1V', ['code-11', 'code-12']],
    ['shorter by that character', 'code-1', ['code-11', 'code-12']],
    ['others are longer', 'code-12', ['code-11', 'code-111']],
    ['longer itself', 'xxxxcode-11', ['code-11', 'abcd-98']],
    ['changed in more places', '11-edoc', ['code-11', 'code-12', 'abcd-98']],
  ])('is none where it is %s', (_how, altered, known) => {
    expect(mayBeIssued(altered, 'code-11', known)).toBe(false);
  });
});
