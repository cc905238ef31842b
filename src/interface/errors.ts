/**
 * An error of Fareproof with a stable code; its message tells the user what to do.
 *
 * Codes are upper case with underscores and never renamed.
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

/**
 * Wrong usage or configuration: the message names the file, line or field at fault.
 * The command line ends with exit code 2 on it.
 */
export class ConfigurationError extends FareproofError {
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'ConfigurationError';
  }
}
