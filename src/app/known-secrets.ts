import type { ProfileWithSecrets, Redactor, SecretKind } from '../redaction/index.ts';

/** Secrets that a command has read, from a profile or the environment: no line that it prints shows one. */
export class KnownSecrets {
  #redactor: Redactor | null = null;

  /** Adds the secrets of a profile. */
  async addProfile(profile: ProfileWithSecrets): Promise<void> {
    (await this.#open()).addProfile(profile);
  }

  /** Adds a secret, or each that a text of several lines holds; undefined and empty ones are none. */
  async add(kind: SecretKind, text: string | undefined): Promise<void> {
    if (text === undefined || text === '') return;
    const { secretLinesOf } = await import('../redaction/index.ts');
    const secrets = secretLinesOf(text).map((line) => ({ kind, text: line }));
    (await this.#open()).addGiven(secrets);
  }

  /** Replaces the secrets in a line. */
  hideIn(line: string): string {
    return this.#redactor?.redactSentence(line) ?? line;
  }

  /** Loads what most commands do without. */
  async #open(): Promise<Redactor> {
    const { Redactor: Class } = await import('../redaction/index.ts');
    this.#redactor ??= new Class();
    return this.#redactor;
  }
}
