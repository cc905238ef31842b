/** Codes of transport failures; with `CONNECT_` the target was never reached. */
export type TransportErrorCode =
  | 'CONNECT_REFUSED'
  | 'CONNECT_NAME_UNKNOWN'
  | 'CONNECT_TLS'
  | 'CONNECT_TIMEOUT'
  | 'CONNECT_FAILED'
  | 'TIMEOUT'
  | 'CONNECTION_BROKEN'
  | 'HTTP_MALFORMED'
  | 'BODY_UNDECODABLE'
  | 'TIMEOUT_MID_ANSWER'
  | 'TARGET_GIVEN_UP'
  | 'ANSWER_LOST'
  | 'INTERRUPTED';

/** Reason why a request got no complete response. */
export interface TransportFailure {
  readonly code: TransportErrorCode;
  readonly message: string;
}

const CODES: Readonly<Record<string, TransportErrorCode>> = {
  ECONNREFUSED: 'CONNECT_REFUSED',
  ENOTFOUND: 'CONNECT_NAME_UNKNOWN',
  EAI_AGAIN: 'CONNECT_NAME_UNKNOWN',
  EHOSTUNREACH: 'CONNECT_FAILED',
  ENETUNREACH: 'CONNECT_FAILED',
  EADDRNOTAVAIL: 'CONNECT_FAILED',
  ECONNRESET: 'CONNECTION_BROKEN',
  EPIPE: 'CONNECTION_BROKEN',
  TIMEOUT: 'TIMEOUT',
  ETIMEDOUT: 'CONNECT_TIMEOUT',
};

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|INVALID_CA)/;

/** Maps an error of a connection to a stable code. */
export function explainFailure(error: unknown): TransportFailure {
  const message = error instanceof Error ? error.message : String(error);
  for (const code of codesOf(error)) {
    const known = CODES[code];
    if (known) return { code: known, message: message || code };
    if (TLS_CODE.test(code)) return { code: 'CONNECT_TLS', message: `${message} (${code})` };
    if (code.startsWith('HPE_')) return { code: 'HTTP_MALFORMED', message };
  }
  return { code: 'CONNECTION_BROKEN', message };
}

/** Codes of an error, its parts and its causes: a connection tried on several addresses fails with several. */
function codesOf(error: unknown): string[] {
  if (error === null || typeof error !== 'object') return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  const own = typeof code === 'string' ? [code] : [];
  const inner = Array.isArray(errors) ? errors.flatMap(codesOf) : [];
  return [...own, ...inner, ...codesOf(cause)];
}

const CLIENT_CERTIFICATE =
  'If it asks for a client certificate, name one as "cert" and "key" in the profile.';

/** Remedies by what node:tls says; the first that matches. */
const TLS_REMEDIES: readonly (readonly [says: RegExp, remedy: string])[] = [
  [
    /WRONG_VERSION|wrong version|PACKET_LENGTH/i,
    'The port speaks http: write the address with http in baseUrl.',
  ],
  [
    /ALERT_(UNKNOWN_CA|CERTIFICATE_(EXPIRED|REVOKED|UNKNOWN)|UNSUPPORTED_CERTIFICATE)/,
    'It refuses the client certificate: name one that it accepts as "cert" and "key" in the profile.',
  ],
  [/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE/, CLIENT_CERTIFICATE],
  [
    /CERT_HAS_EXPIRED/,
    'Renew its certificate, which has expired; or set the clock of this machine, if that is wrong.',
  ],
  [
    /CERT_NOT_YET_VALID/,
    'Its certificate is not valid yet: set the clock of this machine, if that is wrong.',
  ],
  [
    /ALTNAME_INVALID/,
    'Its certificate is for another name: write the host by a name of the certificate in baseUrl.',
  ],
  [/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/, 'It takes no version of TLS that is offered to it.'],
  [/UNABLE_TO_|SELF_SIGNED|CERT_UNTRUSTED|INVALID_CA/, 'Name its issuer as "ca" in the profile.'],
];

/** Destination of a request. */
export interface AskedAddress {
  readonly baseUrl: string;
  /** True if a client certificate was offered. */
  readonly hasCertificate: boolean;
}

/** Remedy for a failure, as a sentence. */
export function remedyOfFailure(
  { code, message }: TransportFailure,
  { baseUrl, hasCertificate }: AskedAddress,
): string {
  if (code === 'CONNECT_TLS') {
    const known = TLS_REMEDIES.find(([says]) => says.test(message));
    return known?.[1] ?? 'Correct the certificates of the target, or those of the profile.';
  }
  if (code === 'CONNECTION_BROKEN' && baseUrl.startsWith('https:') && !hasCertificate)
    return CLIENT_CERTIFICATE;
  if (code === 'CONNECTION_BROKEN' && baseUrl.startsWith('http:'))
    return 'If the port speaks https, write the address with https in baseUrl.';
  if (code === 'TIMEOUT' || code === 'CONNECT_TIMEOUT') return 'Set a longer timeout.';
  if (code === 'CONNECT_NAME_UNKNOWN')
    return 'Correct the host name in baseUrl, or the names that this machine knows.';
  return 'Start it, or fix baseUrl in the profile.';
}
