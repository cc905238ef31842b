import { ConfigurationError } from '../../../interface/errors.ts';

/**
 * Subjects of a join group on a broker. A session is one membership of an agent, from its join until
 * it leaves; its id is random.
 *
 * | subject                             | agent NAME | controller              |
 * | ----------------------------------- | ---------- | ----------------------- |
 * | `fareproof.GROUP.join.NAME`         | publishes  | subscribes (`join.*`)   |
 * | `fareproof.GROUP.to.NAME.SESSION`   | subscribes | publishes               |
 * | `fareproof.GROUP.from.NAME.SESSION` | publishes  | subscribes              |
 *
 * So a broker may limit agent NAME to publishing on `fareproof.GROUP.join.NAME` and
 * `fareproof.GROUP.from.NAME.*`, and to subscribing to `fareproof.GROUP.to.NAME.*`. There are no
 * inboxes: a reply comes on the subject that its receiver has subscribed to anyway.
 */
export class Subjects {
  readonly #prefix: string;

  /** @param group as {@link isToken} */
  constructor(group: string) {
    this.#prefix = `fareproof.${group}`;
  }

  /** Subject on which a controller hears of all agents that want to join. */
  get joins(): string {
    return this.join('*');
  }

  join(name: string): string {
    return `${this.#prefix}.join.${name}`;
  }

  to(name: string, session: string): string {
    return `${this.#prefix}.to.${name}.${session}`;
  }

  from(name: string, session: string): string {
    return `${this.#prefix}.from.${name}.${session}`;
  }
}

/** True for a text that is one token of a subject: no dot, no wildcard, no space. */
export const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);

/**
 * Checks the name of an agent, which is part of its subjects.
 *
 * @throws ConfigurationError `AGENT_NAME`
 */
export function requireAgentName(name: string): string {
  if (isToken(name)) return name;
  throw new ConfigurationError(
    'AGENT_NAME',
    `"${name}" is no name of an agent: use 1 to 64 letters, digits, hyphens and underscores.`,
  );
}
