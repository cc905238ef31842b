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

/** Text of a rule, as the files of this folder write it. */
export interface RuleText {
  /** Permanent id, `area/name`; never renamed or reused. */
  readonly id: string;
  readonly level: RuleLevel;
  /** One sentence with subject and verb; backticks mark code. */
  readonly statement: string;
  /** Heading of interface.md that the statement comes from. */
  readonly section: string;
}

/** Text of a rule for a service. */
export interface ServiceRuleText extends RuleText {
  /** Requirements of the rule's check. */
  readonly needs: readonly RuleNeed[];
}

/** One statement of the interface that an implementation can be judged by. */
export interface Rule extends ServiceRuleText {
  /** Side that the rule judges: the service, or a partner's client. */
  readonly side: 'service' | 'client';
}
