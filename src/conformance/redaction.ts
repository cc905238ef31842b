/** What a secret is; it names its pseudonym. */
export type SecretKind =
  | 'signing_key'
  | 'signature'
  | 'access_token'
  | 'refresh_token'
  | 'auth_code'
  | 'control_token'
  | 'header';

/** Shorter ones would be found by chance in any text, and hide nothing worth hiding. */
const SHORTEST_SECRET = 4;

/** One way in which a secret may be written. */
interface Form {
  readonly text: string;
  readonly secret: string;
}

/**
 * Replaces secrets by stable pseudonyms such as `[access_token 3]`: same secret, same pseudonym, so
 * that redacted texts can still be compared.
 */
export class Redactor {
  readonly #pseudonyms = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  /** Forms by their first characters: one look-up at each place of a text finds all that may start there. */
  readonly #forms = new Map<string, Form[]>();
  readonly #pseudonymFor: (secret: string) => string | undefined;
  readonly #onAdded: (secret: string, pseudonym: string) => void;

  /**
   * @param pseudonymFor of a secret that an earlier part of the run knew
   * @param onAdded told of each secret and the pseudonym that it was given
   */
  constructor(
    pseudonymFor: (secret: string) => string | undefined = () => undefined,
    onAdded: (secret: string, pseudonym: string) => void = () => undefined,
  ) {
    this.#pseudonymFor = pseudonymFor;
    this.#onAdded = onAdded;
  }

  /** Makes a secret known; `label` stands for the number, as in `[signing_key p-100]`. */
  add(kind: SecretKind, secret: string, label?: string): string {
    const known = this.#pseudonyms.get(secret);
    if (known !== undefined) return known;
    const earlier = this.#pseudonymFor(secret);
    const pseudonym = earlier ?? `[${kind} ${label ?? this.#nextNumber(kind)}]`;
    this.#pseudonyms.set(secret, pseudonym);
    if (secret.length >= SHORTEST_SECRET)
      for (const form of formsOf(secret)) this.#keep(form, secret);
    // What has a label has the same one every time.
    if (earlier === undefined && label === undefined) this.#onAdded(secret, pseudonym);
    return pseudonym;
  }

  /** Goes on counting behind a pseudonym that an earlier part of the run gave. */
  skip(pseudonym: string): void {
    const [, kind = '', number] = /^\[(\S+) (\d+)\]$/.exec(pseudonym) ?? [];
    if (number === undefined) return;
    this.#counts.set(kind, Math.max(this.#counts.get(kind) ?? 0, Number(number)));
  }

  /**
   * Replaces each secret in a text, in each form it may be written in.
   *
   * @param only the secrets to replace; left out, all
   * @param end where the text is to be cut; a secret that lies across the cut is replaced whole
   */
  redact(text: string, only?: Iterable<string>, end: number = text.length): string {
    const wanted = only && new Set(only);
    const parts: string[] = [];
    let kept = 0;
    for (let at = 0; at < end && at + SHORTEST_SECRET <= text.length; ) {
      const found = this.#longestAt(text, at, wanted);
      if (found === null) {
        at++;
        continue;
      }
      parts.push(text.slice(kept, at), this.#pseudonyms.get(found.secret) ?? '');
      at += found.text.length;
      kept = at;
    }
    return parts.join('') + text.slice(kept, Math.max(kept, end));
  }

  #nextNumber(kind: SecretKind): number {
    const number = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, number);
    return number;
  }

  #keep(text: string, secret: string): void {
    const start = text.slice(0, SHORTEST_SECRET);
    const others = this.#forms.get(start);
    if (others) others.push({ text, secret });
    else this.#forms.set(start, [{ text, secret }]);
  }

  /** A secret that holds another one wins over it, or a part of it would stay. */
  #longestAt(text: string, at: number, wanted: ReadonlySet<string> | undefined): Form | null {
    let longest: Form | null = null;
    for (const form of this.#forms.get(text.slice(at, at + SHORTEST_SECRET)) ?? []) {
      if (longest && form.text.length <= longest.text.length) continue;
      if (text.startsWith(form.text, at) && (!wanted || wanted.has(form.secret))) longest = form;
    }
    return longest;
  }
}

/** As it is, inside JSON (slashes escaped or not, ASCII only or not), and percent-encoded. */
function formsOf(secret: string): ReadonlySet<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  const asciiJson = json.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const encoded = percentEncode(secret);
  return new Set([
    secret,
    json,
    json.replaceAll('/', '\\/'),
    asciiJson,
    encoded,
    encoded.replaceAll('%20', '+'),
    encoded.replace(/%[0-9A-F]{2}/g, (pair) => pair.toLowerCase()),
    Buffer.from(secret, 'utf8').toString('latin1'),
  ]);
}

/** A lone surrogate has no percent-encoding; such a secret has one form less. */
function percentEncode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}
