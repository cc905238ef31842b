import type { Tokens } from '../service/state/tokens.ts';
import type { Replacement } from './parts.ts';
import { withMethods } from './with-methods.ts';

/** Compares a known credential with the one that was sent. */
export type IsNear = (known: string, sent: string) => boolean;

/** A text with its first letter or digit blanked. */
const withoutFirst = (text: string): string => text.replace(/[0-9a-z]/i, ' ');

/** A text with its last letter or digit blanked. */
const withoutLast = (text: string): string => text.replace(/[0-9a-z](?=[^0-9a-z]*$)/i, ' ');

/** Comparisons of credentials that miss something, by the name of their form. */
export const NEAR: Readonly<Record<string, readonly [how: string, IsNear]>> = {
  'other-case': ['in another case', (known, sent) => known.toLowerCase() === sent.toLowerCase()],
  suffix: ['with text after it', (known, sent) => sent.startsWith(known)],
  prefix: ['with text before it', (known, sent) => sent.endsWith(known)],
  'cut-by-one': [
    'without its last character',
    // Of a token that ends with a sign, the character before it is cut off too.
    (known, sent) => known.startsWith(sent) && [1, 2].includes(known.length - sent.length),
  ],
  'last-character': [
    'with another last character',
    (known, sent) =>
      sent.length === known.length &&
      (sent.slice(0, -1) === known.slice(0, -1) || withoutLast(sent) === withoutLast(known)),
  ],
  'first-character': [
    'with another first character',
    (known, sent) =>
      sent.length === known.length &&
      (sent.slice(1) === known.slice(1) || withoutFirst(sent) === withoutFirst(known)),
  ],
  'first-eight': ['that starts alike', (known, sent) => sent.slice(0, 8) === known.slice(0, 8)],
  'one-in-the-middle': [
    'with one other character inside',
    (known, sent) =>
      sent.length === known.length &&
      sent.split('').filter((character, at) => character !== known[at]).length === 1,
  ],
};

/** Credentials that a broken service remembers for comparison. */
const KEPT = 500;

/** A text that was issued or added, and stands for a similar one; the newest first. */
class KnownTexts {
  readonly #texts: string[] = [];

  add(text: string): void {
    this.#texts.unshift(text);
    if (this.#texts.length > KEPT) this.#texts.pop();
  }

  /** The known text that a sent one stands for: the same one, else a near one, else itself. */
  resolve(sent: string, isNear: IsNear): string {
    if (sent === '' || this.#texts.includes(sent)) return sent;
    return this.#texts.find((known) => isNear(known, sent)) ?? sent;
  }
}

/** Finds an access_token by a text that is near to it. */
export function findingNearAccess(isNear: IsNear): Replacement<'tokens'> {
  return (tokens) => {
    const known = new KnownTexts();
    return watching(tokens, ({ accessToken }) => known.add(accessToken), {
      findAccess: (sent) => tokens.findAccess(known.resolve(sent, isNear)),
    });
  };
}

/** Finds a refresh_token by a text that is near to it. */
export function findingNearRefresh(isNear: IsNear): Replacement<'tokens'> {
  return (tokens) => {
    const known = new KnownTexts();
    return watching(tokens, ({ refreshToken }) => known.add(refreshToken), {
      findRefresh: (sent) => tokens.findRefresh(known.resolve(sent, isNear)),
      useRefresh: (sent) => tokens.useRefresh(known.resolve(sent, isNear)),
    });
  };
}

/** Finds an auth_code by a text that is near to it. */
export function findingNearCode(isNear: IsNear): Replacement<'authCodes'> {
  return (codes) => {
    const known = new KnownTexts();
    return withMethods(codes, {
      add: (partner, code, userId) => {
        known.add(code);
        codes.add(partner, code, userId);
      },
      addFresh: (partner, userId, random) => {
        const code = codes.addFresh(partner, userId, random);
        known.add(code);
        return code;
      },
      find: (partner, sent) => codes.find(partner, known.resolve(sent, isNear)),
    });
  };
}

/** Finds a partner by an id that is near to its own. */
export function findingNearPartner(isNear: IsNear): Replacement<'partners'> {
  return (partners) =>
    withMethods(partners, {
      find: (sent) => partners.find(sent) ?? partners.all.find(({ id }) => isNear(id, sent)),
    });
}

/** The same text with upper and lower case swapped. */
export function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (one) =>
    one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase(),
  );
}

/** Tokens with other methods, that also tell of each token they issue. */
function watching(
  tokens: Tokens,
  onIssued: (issued: ReturnType<Tokens['issue']>) => void,
  methods: Partial<Tokens>,
): Tokens {
  return withMethods(tokens, {
    ...methods,
    issue: (request, nowMs) => {
      const issued = tokens.issue(request, nowMs);
      onIssued(issued);
      return issued;
    },
  });
}
