/** The parts of an `Authorization`, as they were sent. */
export interface AuthorizationParts {
  readonly form: 'missing' | 'pair' | 'user' | 'other';
  /** In a parser's words; the scheme, and what is missing. */
  readonly shape: string;
  readonly partnerId: string | null;
  /** SIGN, or the access token, of a pair; SIGN of a user's header. */
  readonly second: string | null;
  readonly userToken: string | null;
  /** Text that may be the signature, wherever it stands; for the diagnosis. */
  readonly salvagedSignature: string | null;
}

const PAIR = /^bearer ([^|\s]+)\|([^|\s]+)$/i;
const USER = /^bearer ([^|\s]+)\|([^|\s]+) openid\|([^|\s]+)$/i;
const HEX_DIGEST = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/i;

/**
 * Takes the header of any request apart, right or wrong.
 *
 * @see interface.md, "Authentication"
 */
export function parseAuthorization(header: string | undefined): AuthorizationParts {
  const nothing = { partnerId: null, second: null, userToken: null, salvagedSignature: null };
  if (header === undefined || header === '') {
    return { form: 'missing', shape: 'no Authorization', ...nothing };
  }
  const user = USER.exec(header);
  if (user) {
    const [, partnerId = '', second = '', userToken = ''] = user;
    return {
      form: 'user',
      shape: 'Bearer ID|SIGN openid|TOKEN',
      partnerId,
      second,
      userToken,
      salvagedSignature: second,
    };
  }
  const pair = PAIR.exec(header);
  if (pair) {
    const [, partnerId = '', second = ''] = pair;
    const shape = 'Bearer ID|X';
    return { form: 'pair', shape, partnerId, second, userToken: null, salvagedSignature: second };
  }
  const salvagedSignature = HEX_DIGEST.exec(header)?.[0] ?? null;
  return { form: 'other', shape: shapeOf(header), ...nothing, salvagedSignature };
}

function shapeOf(header: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9-]*) /.exec(header)?.[1] ?? null;
  const bars = header.split('|').length - 1;
  const words = [
    scheme === null ? 'no scheme' : `the scheme ${scheme}`,
    bars === 0 ? 'no |' : `${bars} |`,
    ...(/\S\s+\|/.test(header) || /\|\s/.test(header) ? ['a space beside |'] : []),
    ...(/^bearer {2,}/i.test(header) ? ['more than one space after Bearer'] : []),
  ];
  return words.join(', ');
}
