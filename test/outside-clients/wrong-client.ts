import type { ClientRuleId } from '../../src/interface/index.ts';
import type { Deviation } from './habits.ts';
import type { WireRequest } from './wire.ts';

/** Kinds of mistake, by what it takes to see them. */
export type Cause =
  | 'refused'
  | 'provoked'
  | 'overlap'
  | 'read'
  | 'signature'
  | 'plain'
  | 'form'
  | 'course';

/** A client with one mistake. */
export interface WrongClient {
  readonly cause: Cause;
  /** The mistake, as a predicate of "a client". */
  readonly mistake: string;
  readonly deviation: Deviation;
  /** Any of these rules must be red; `scenario` is a failed scenario without a red rule. */
  readonly red: readonly (ClientRuleId | 'scenario')[];
  /** Id of the mistake by which its signature is explained. */
  readonly explainedBy?: string | undefined;
}

/** Makes wrong clients of a kind. */
export const wrong =
  (cause: Cause) =>
  (
    mistake: string,
    red: WrongClient['red'][number] | WrongClient['red'],
    deviation: Deviation,
  ): WrongClient => ({
    cause,
    mistake,
    deviation,
    red: typeof red === 'string' ? [red] : red,
  });

/** Changes a header of requests of a kind; null leaves it out. */
export const header =
  (of: string, kindOf: string, change: (value: string) => string | null) =>
  (request: WireRequest, kind: string): WireRequest => ({
    ...request,
    headers: request.headers.flatMap(([name, value]): [string, string][] => {
      if (name !== of || kind !== kindOf) return [[name, value]];
      const text = change(value);
      return text === null ? [] : [[name, text]];
    }),
  });
