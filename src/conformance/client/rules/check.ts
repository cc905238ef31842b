import type { ClientRuleId } from '../../../interface/catalogue.ts';
import type { ParsedRequest } from '../traffic/parsed-request.ts';
import type { Traffic } from '../traffic/traffic.ts';

/** One place at which a rule was seen broken. */
export interface Violation {
  /** Id of the exchange that shows it. */
  readonly exchange: string;
  /** Ids of other exchanges that belong to it. */
  readonly beside?: readonly string[];
  readonly expected: string;
  readonly got: string;
}

/** What a rule came to on some traffic. */
export interface ClientOutcome {
  readonly violations: readonly Violation[];
  /** Ids of the exchanges by which the rule could be judged; none where it could not. */
  readonly judged: readonly string[];
  /** What was seen to hold, in words. */
  readonly held: string;
  /** What the client did not do, without which the rule cannot be judged. */
  readonly missing: string;
}

/** Judges one rule for clients; pure, so that stored traffic can be judged again. */
export interface ClientCheck {
  readonly rule: ClientRuleId;
  readonly judge: (traffic: Traffic) => ClientOutcome;
}

/** A rule that each request of some sort either keeps or breaks. */
export function checkEach(
  requests: readonly ParsedRequest[],
  words: { readonly one: string; readonly expected: string; readonly held: string },
  fault: (request: ParsedRequest) => string | null,
): ClientOutcome {
  const violations = requests.flatMap((request) => {
    const got = fault(request);
    return got === null ? [] : [{ exchange: request.id, expected: words.expected, got }];
  });
  return {
    violations,
    judged: requests.map(({ id }) => id),
    held: words.held,
    missing: `${words.one} was not sent`,
  };
}

/** A text as it is shown beside a verdict: what is no text by its JSON, and not too much of it. */
export function quoted(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
