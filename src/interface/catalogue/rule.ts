/** `must`: the interface states it, a violation fails. `should`: common sense, a violation warns. */
export type RuleLevel = 'must' | 'should';

/**
 * Requirement of a check: `partner` a partner id and signing key, `two-partners` two of them,
 * `control` the target's control API, `code` an auth code, `quota` an allowance to spend on purpose,
 * `test-environment` a target that runs in the test environment.
 */
export type RuleNeed =
  | 'partner'
  | 'two-partners'
  | 'control'
  | 'code'
  | 'quota'
  | 'test-environment';

/** One statement of the interface that an implementation can be judged by. */
export interface Rule {
  /** Permanent id, `area/name`; never renamed or reused. */
  readonly id: string;
  readonly level: RuleLevel;
  /** One sentence with subject and verb; backticks mark code. */
  readonly statement: string;
  /** Heading of interface.md that the statement comes from. */
  readonly section: string;
  /** Requirements of the rule's check. */
  readonly needs: readonly RuleNeed[];
  /** Side that the rule judges: the service, or a partner's client. */
  readonly side: 'service' | 'client';
}

type RuleText = Omit<Rule, 'id' | 'side' | 'needs'> & Partial<Pick<Rule, 'needs'>>;

/** Text of a rule of level `must`; `needs` only where they differ from those of its area. */
export function must(statement: string, section: string, needs?: Pick<Rule, 'needs'>): RuleText {
  return { level: 'must', statement, section, ...needs };
}

/** Text of a rule of level `should`, as {@link must}. */
export function should(statement: string, section: string, needs?: Pick<Rule, 'needs'>): RuleText {
  return { level: 'should', statement, section, ...needs };
}

/**
 * The rules of an area in the order of their texts, which are given by id.
 *
 * @param needs of the rules whose text names none
 */
export function rulesOf<Id extends string>(
  side: Rule['side'],
  needs: Rule['needs'],
  texts: Readonly<Record<Id, RuleText>>,
): readonly (Rule & { readonly id: Id })[] {
  return (Object.entries(texts) as [Id, RuleText][]).map(([id, text]) => ({
    id,
    ...text,
    needs: text.needs ?? needs,
    side,
  }));
}
