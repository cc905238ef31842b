import { ConfigurationError } from '../../../interface/errors.ts';

/** Subjects of one direction of a session. */
export interface Line {
  /** In the stream: each message arrives once. */
  readonly stored: string;
  /** Not in the stream: pings and their answers. */
  readonly live: string;
}

/**
 * Subjects of a join group on a broker; docs/distributed-load.md has the table of who uses which. A
 * session is one membership of an agent, from its join until it leaves; its id is random. The name of
 * an agent is a token of each of its subjects, so that a broker can limit an agent to its own.
 */
export class Subjects {
  /** Name of the stream that holds what must arrive once. */
  readonly stream: string;
  /** Subjects of that stream. */
  readonly stored: string[];
  /** Subject on which a controller hears of all agents that want to join. */
  readonly joins: string;
  readonly #prefix: string;

  /** @param group as {@link isToken} */
  constructor(group: string) {
    this.#prefix = `fareproof.${group}`;
    this.stream = `fareproof-${group}`;
    this.stored = [`${this.#prefix}.to.>`, `${this.#prefix}.from.>`];
    this.joins = this.join('*');
  }

  join(agent: string): string {
    return `${this.#prefix}.join.${agent}`;
  }

  /** Prefix of the subjects on which answers come; without an agent, those to a controller. */
  inbox(agent?: string): string {
    return `${this.#prefix}.${agent === undefined ? 'controller' : `inbox.${agent}`}`;
  }

  /** Subjects of messages to an agent, and from it. */
  session(name: string, session: string): { readonly to: Line; readonly from: Line } {
    const subject = (kind: string): string => `${this.#prefix}.${kind}.${name}.${session}`;
    return {
      to: { stored: subject('to'), live: subject('ping') },
      from: { stored: subject('from'), live: subject('pong') },
    };
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
