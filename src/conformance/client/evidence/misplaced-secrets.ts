import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import { Redactor } from '../../../redaction/index.ts';
import type { PartnerCredentials } from '../../partner-credentials.ts';
import type { RequestParts } from '../parsing/request.ts';
import type { CapturedExchange } from '../traffic/captured.ts';

/** A partner, with secrets that its client may show without ever sending them. */
export interface ParsedPartner extends PartnerCredentials {
  readonly authCodes?: readonly string[] | undefined;
  readonly accessToken?: string | undefined;
}

type Misplaced = NonNullable<ParsedRequest['misplaced']>[number];

const KINDS = ['signing_key', 'access_token', 'refresh_token', 'auth_code'] as const;
/** A whole secret, as a redactor names it; a part of one proves nothing. */
const NAMED = new RegExp(`\\[(${KINDS.join('|')}) [^\\]]*\\]`, 'g');
/** Fields of a token request in which the interface puts a secret. */
const IN_PLACE = ['refresh_token', 'auth_code'];

/** Finds secrets that a client sends where the interface does not put them, in the encodings of SECURITY. */
export class MisplacedSecrets {
  /** Knows only what the client was given, so that nothing else is taken for a secret. */
  readonly #given = new Redactor();

  /** @param partners partners of the client, with their keys and codes */
  constructor(partners: readonly ParsedPartner[]) {
    for (const { signingKey, authCodes = [] } of partners) {
      this.#given.add('signing_key', signingKey);
      for (const code of authCodes) this.#given.add('auth_code', code);
    }
  }

  /** Adds the tokens of an answer. */
  learn({
    accessToken,
    refreshToken,
  }: Record<'accessToken' | 'refreshToken', string | null>): void {
    if (accessToken !== null) this.#given.add('access_token', accessToken);
    if (refreshToken !== null) this.#given.add('refresh_token', refreshToken);
  }

  /** Finds the misplaced secrets of a request. */
  in({ request, isRedirected }: CapturedExchange, { kind, body }: RequestParts): Misplaced[] {
    const { target, headers, body: bytes } = request;
    const { authorization = '', ...others } = headers;
    const text = Buffer.from(bytes).toString('utf8');
    const rest = Object.entries(body.fields).filter(([name]) => !IN_PLACE.includes(name));
    const isTaken = kind === 'token' && Object.keys(body.fields).length > 0;
    const found = [
      ...this.#find(target, 'the address'),
      ...Object.entries(others).flatMap(([name, value]) => {
        return this.#find(value, name === 'cookie' ? 'a cookie' : `the header ${name}`);
      }),
      ...this.#find(isTaken ? JSON.stringify(rest) : text, 'the body'),
      ...[authorization, text].flatMap((one, at) =>
        this.#find(one, at === 0 ? 'the header authorization' : 'the body').filter(
          ({ secret }) => isRedirected || secret === 'signing_key',
        ),
      ),
    ];
    const all = isRedirected
      ? found.map(({ secret }) => ({ secret, place: 'a request to another origin' }))
      : found;
    return all.filter((one, at) => {
      return all.findIndex((other) => JSON.stringify(other) === JSON.stringify(one)) === at;
    });
  }

  #find(text: string, place: string): Misplaced[] {
    if (text === '') return [];
    const names = [...this.#given.redact(text).matchAll(NAMED)].map(([, kind]) => kind);
    return KINDS.filter((kind) => names.includes(kind)).map((secret) => ({ secret, place }));
  }
}
