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
  it('holds the ids of rules.md, each once and in their order', () => {
    expect(RULES.map((rule) => rule.id)).toEqual(linesOf('./rule-ids.txt'));
  });

  it('has a side that fits the area', () => {
    for (const rule of RULES) {
      expect([rule.id, rule.side]).toEqual([
        rule.id,
        areaOf(rule.id) === 'client' ? 'client' : 'service',
      ]);
    }
  });

  it('finds a rule by its id and nothing else', () => {
    expect(findRule('quota/ban-lifts')?.needs).toEqual(['quota', 'control']);
    expect(findRule('quota/none-such')).toBeUndefined();
  });
});

describe('the gap register', () => {
  it('holds the ids of rules.md, each with a default', () => {
    expect(GAPS.map((gap) => gap.id).sort()).toEqual(linesOf('./gap-ids.txt').sort());
    expect(Object.keys(DEFAULT_BEHAVIOUR).sort()).toEqual(linesOf('./gap-ids.txt').sort());
  });

  it('refuses a setting that it does not know, naming it', () => {
    const typo = behaviourSchema.safeParse({ 'nostr-reply': 'refused' });
    expect(typo.error?.issues[0]?.message).toContain('nostr-reply');
    const status = behaviourSchema.safeParse({ 'error-status': { 'signature-invalid': 200 } });
    expect(status.error?.issues[0]?.path).toEqual(['error-status', 'signature-invalid']);
  });

  it('takes a status for each condition', () => {
    const statuses = Object.fromEntries(ERROR_CONDITIONS.map((name) => [name, 500]));
    expect(behaviourSchema.parse({ 'error-status': statuses })['error-status']).toEqual(statuses);
  });
});
