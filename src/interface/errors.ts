/**
 * Error with a stable code; its message says what to do. Codes are upper case with underscores and
 * are never renamed.
 */
export class FareproofError extends Error {
  /** Stable code, such as `SIGNATURE_NO_PAIRS`. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FareproofError';
    this.code = code;
  }
}

/** Option at fault, and the cause of an error. */
export interface ConfigurationErrorOptions extends ErrorOptions {
  /** Path of the option at fault, such as `rate` or `stages[1]`. */
  readonly field?: string | undefined;
}

/**
 * Wrong usage or configuration. The message names the file and line at fault, or begins with the field;
 * the command names the flag in its place. A command that throws it exits with code 2.
 */
export class ConfigurationError extends FareproofError {
  readonly field: string | undefined;
  /** The message without the field. */
  readonly problem: string;

  constructor(
    code: string,
    problem: string,
    { field, ...options }: ConfigurationErrorOptions = {},
  ) {
    super(code, field === undefined ? problem : `${field}: ${problem}`, options);
    this.name = 'ConfigurationError';
    this.field = field;
    this.problem = problem;
  }
}
