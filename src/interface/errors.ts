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

/** A message that names options; `name` words them as the reader knows them. */
export type Wording = (name: (option: string) => string) => string;

/** Option at fault, and the cause of an error. */
export interface ConfigurationErrorOptions extends ErrorOptions {
  /** Path of the option at fault, such as `rate` or `stages[1]`. */
  readonly field?: string | undefined;
}

/**
 * Wrong usage or configuration. The message begins with the field at fault, or names the file and line. A
 * command that throws it exits with code 2.
 */
export class ConfigurationError extends FareproofError {
  readonly field: string | undefined;
  readonly #problem: Wording;

  /** @param problem the message without the field; options in it are named by a {@link Wording} */
  constructor(
    code: string,
    problem: string | Wording,
    { field, ...options }: ConfigurationErrorOptions = {},
  ) {
    const wording = typeof problem === 'string' ? () => problem : problem;
    super(
      code,
      wordedFor(wording, field, (option) => option),
      options,
    );
    this.name = 'ConfigurationError';
    this.field = field;
    this.#problem = wording;
  }

  /** The same error where options have other names. */
  renamed(name: (option: string) => string): ConfigurationError {
    const problem: Wording = (other) => this.#problem((option) => other(name(option)));
    const field = this.field === undefined ? undefined : name(this.field);
    return new ConfigurationError(this.code, problem, { field, cause: this.cause });
  }

  /** The message, with options named by `name`, such as `--rate` for `rate`. */
  messageFor(name: (option: string) => string): string {
    return wordedFor(this.#problem, this.field, name);
  }
}

function wordedFor(
  problem: Wording,
  field: string | undefined,
  name: (option: string) => string,
): string {
  return (field === undefined ? '' : `${name(field)}: `) + problem(name);
}
