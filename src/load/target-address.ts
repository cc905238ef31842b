import { type Certificates, readCertificates } from '../files/certificates.ts';
import { ConfigurationError, isLoopback, type TargetProfile } from '../interface/index.ts';

/** Address of a target, resolved before the run: no file is read and no URL parsed during it. */
export interface TargetAddress {
  secure: boolean;
  host: string;
  port: number;
  /** Value of the Host header. */
  hostHeader: string;
  /** Path before `/v1/…`; empty or `/prefix`. */
  pathPrefix: string;
  /** PEM texts, as node:tls takes them; null for plain HTTP. */
  tls: Certificates | null;
}

/**
 * Resolves a profile's base URL and reads its certificates.
 *
 * @throws ConfigurationError `TARGET_NOT_STARTED` for `embedded`, `CERTIFICATE_NOT_READ`
 */
export function resolveTarget(profile: TargetProfile): TargetAddress {
  if (profile.baseUrl === 'embedded') {
    throw new ConfigurationError(
      'TARGET_NOT_STARTED',
      'baseUrl is "embedded": start the server first and give the address it listens on.',
    );
  }
  const url = new URL(profile.baseUrl);
  const secure = url.protocol === 'https:';
  return {
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    hostHeader: url.host,
    pathPrefix: url.pathname.replace(/\/+$/, ''),
    tls: secure ? readCertificates(profile) : null,
  };
}

/** Place of a target: in this process, elsewhere on this machine, or on another one. */
export type TargetPlace = 'embedded' | 'this-machine' | 'elsewhere';

/** Tells where a target is. @param isEmbedded true if this process runs it */
export function placeOf(baseUrl: string, isEmbedded: boolean): TargetPlace {
  if (isEmbedded) return 'embedded';
  return isLoopback(baseUrl) ? 'this-machine' : 'elsewhere';
}
