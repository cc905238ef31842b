import type { AllowanceKind } from '../../../../interface/limits.ts';
import type { Caller, CheckContext } from '../../contract/check.ts';
import { answered } from '../../contract/judge.ts';
import type {
  Answer,
  EstimateAnswer,
  EstimateAttempt,
  Fields,
  TokenAnswer,
  TokenAttempt,
} from '../../contract/messages.ts';
import type { Shape } from '../../contract/target.ts';

/** Token that a script has, and how it came. */
export interface Held {
  readonly answer: TokenAnswer;
  readonly caller: Caller;
  readonly isUser: boolean;
  readonly scope: string | undefined;
  /** Body by which its refresh_token was used; null before. */
  used: Fields | null;
}

/** Estimate with a token. */
export interface Estimate {
  readonly held: Held;
  readonly as: 'platform' | 'user';
  readonly shape: Shape | undefined;
}

interface Of {
  readonly refreshToken?: string | null;
  readonly user?: string | undefined;
  readonly scope?: string | undefined;
  /** Auth code that an earlier request sent, and that was refused; left out, an unsent one. */
  readonly authCode?: string | undefined;
}

/** Body of a token request. */
export async function bodyOf(
  caller: Caller,
  kind: AllowanceKind,
  { refreshToken, user, scope, authCode }: Of,
): Promise<Fields> {
  const changes = scope === undefined ? {} : { scope };
  if (kind === 'platform') return caller.platform(changes);
  if (kind === 'refresh') return caller.refresh(refreshToken ?? '', changes);
  return caller.exchange(authCode ?? (await caller.authCode(user)), changes);
}

/** Requests that show why another was refused, at most, in one script. */
const MOST_COMPARED = 2;

/** Course of a script: what it sent, and the tokens that came. */
export class Course {
  readonly ctx: CheckContext;
  /** Ids of the exchanges that it sent. */
  readonly sent: Set<string> = new Set();
  readonly tokens: Map<string, Held> = new Map();
  /** Tokens that an estimate was refused with twice, with a rest between. */
  readonly refusedAgain: Set<Held> = new Set();
  /** Target's time of the first step, ms; null before it. */
  startMs: number | null = null;
  /** The last answer; null before the first. */
  last: Answer | null = null;
  /** The first refusal beyond an allowance; null for none. */
  ban: TokenAnswer | null = null;
  /** Reason why some steps could not be sent; null if all were. */
  missing: string | null = null;
  /** Reason why a token was not used in its life; null for none. */
  tooLate: string | null = null;
  #compared = 0;

  constructor(ctx: CheckContext) {
    this.ctx = ctx;
  }

  /** Notes the first reason why a step cannot be sent. */
  miss(reason: string): void {
    this.missing ??= reason;
  }

  /** Checks whether a further request may show why another was refused. */
  mayCompare(): boolean {
    return this.#compared++ < MOST_COMPARED;
  }

  /** Sends a token request, whose answer may be lost. */
  async ask(caller: Caller, attempt: TokenAttempt): Promise<TokenAnswer> {
    return this.note(await caller.token(attempt));
  }

  /** @throws Inconclusive without an answer */
  async token(caller: Caller, attempt: TokenAttempt): Promise<TokenAnswer> {
    return answered(await this.ask(caller, attempt), attempt.purpose);
  }

  async estimate(
    { held, as, shape }: Estimate,
    attempt: Pick<EstimateAttempt, 'purpose' | 'expects' | 'wellFormed' | 'rest'>,
  ): Promise<EstimateAnswer> {
    const { caller, answer } = held;
    const query = this.ctx.query({}, shape);
    const accessToken = answer.accessToken ?? '';
    return this.note(await caller.estimate({ ...attempt, query, accessToken, as, shape }));
  }

  /** Notes an answer to a request of the script. */
  note<A extends Answer>(answer: A): A {
    this.last = answer;
    this.sent.add(answer.exchange);
    return answer;
  }
}
