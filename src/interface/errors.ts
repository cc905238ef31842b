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

/**
 * Wrong usage or configuration; the message names the file, line or field at fault. A command that
 * throws it exits with code 2.
 */
export class ConfigurationError extends FareproofError {
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'ConfigurationError';
  }
}
