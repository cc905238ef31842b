import type { ParsedAuthorization } from '../../../documents/parsed-request.ts';

/** A header, and the text in it that may be a signature, at any place. */
export interface AuthorizationParts extends ParsedAuthorization {
  readonly salvagedSignature: string | null;
}

const PAIR = /^bearer ([^|\s]+)\|([^|\s]+)$/i;
const USER = /^bearer ([^|\s]+)\|([^|\s]+) openid\|([^|\s]+)$/i;
const HEX_DIGEST = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/i;

const EMPTY = { partnerId: null, second: null, userToken: null, salvagedSignature: null };

/**
 * Parses an `Authorization` header, valid or not.
 *
 * @see interface.md, "Authentication"
 */
export function parseAuthorization(header: string | undefined): AuthorizationParts {
  if (header === undefined || header === '') {
    return { ...EMPTY, form: 'missing', shape: 'no Authorization' };
  }
  const [, partnerId = '', second = '', userToken = null] =
    USER.exec(header) ?? PAIR.exec(header) ?? [];
  if (second === '') {
    const salvagedSignature = HEX_DIGEST.exec(header)?.[0] ?? null;
    return { ...EMPTY, form: 'other', shape: shapeOf(header), salvagedSignature };
  }
  const parts = { partnerId, second, userToken, salvagedSignature: second };
  return userToken === null
    ? { ...parts, form: 'pair', shape: 'Bearer ID|X' }
    : { ...parts, form: 'user', shape: 'Bearer ID|SIGN openid|TOKEN' };
}

function shapeOf(header: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9-]*) /.exec(header)?.[1] ?? null;
  const bars = header.split('|').length - 1;
  const words = [
    scheme === null ? 'no scheme' : `the scheme ${scheme}`,
    bars === 0 ? 'no |' : `${bars} |`,
    ...(/\s\||\|\s/.test(header) ? ['a space next to |'] : []),
    ...(/^bearer {2,}/i.test(header) ? ['more than one space after Bearer'] : []),
  ];
  return words.join(', ');
}
