import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  areaOf,
  behaviourSchema,
  DEFAULT_BEHAVIOUR,
  ERROR_CONDITIONS,
  findRule,
  GAPS,
  RULES,
} from '../../src/interface/index.ts';

const linesOf = (name: string): string[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n');

describe('the rule catalogue', () => {
  it('lists every permanent rule id once, in order', () => {
    expect(RULES.map((rule) => rule.id)).toEqual(linesOf('./rule-ids.txt'));
  });

  it('gives client rules the side client and all others the side service', () => {
    for (const rule of RULES) {
      expect([rule.id, rule.side]).toEqual([
        rule.id,
        areaOf(rule.id) === 'client' ? 'client' : 'service',
      ]);
    }
  });

  it('states each rule as one sentence that can be read by itself', () => {
    const odd = RULES.filter(({ statement }) => !/^(`\w+`|[A-Z]).*\.$/.test(statement));
    expect(odd.map(({ id, statement }) => `${id}: ${statement}`)).toEqual([]);
  });

  it('finds a rule by its exact id only', () => {
    expect(findRule('quota/ban-lifts')?.needs).toEqual(['quota', 'control']);
    expect(findRule('quota/none-such')).toBeUndefined();
  });
});

describe('the gap register', () => {
  it('lists every permanent gap id, each with a default', () => {
    expect(GAPS.map((gap) => gap.id).sort()).toEqual(linesOf('./gap-ids.txt').sort());
    expect(Object.keys(DEFAULT_BEHAVIOUR).sort()).toEqual(linesOf('./gap-ids.txt').sort());
  });

  it('refuses an unknown setting and names it', () => {
    const typo = behaviourSchema.safeParse({ 'nostr-reply': 'refused' });
    expect(typo.error?.issues[0]?.message).toContain('nostr-reply');
    const status = behaviourSchema.safeParse({ 'error-status': { 'signature-invalid': 200 } });
    expect(status.error?.issues[0]?.path).toEqual(['error-status', 'signature-invalid']);
  });

  it('accepts a status for each error condition', () => {
    const statuses = Object.fromEntries(ERROR_CONDITIONS.map((name) => [name, 500]));
    expect(behaviourSchema.parse({ 'error-status': statuses })['error-status']).toEqual(statuses);
  });
});
