import type { PartnerCredentials } from '../../partner-credentials.ts';

/** How a partner of a profile may be used. */
export type PartnerUse = 'general' | 'spendable' | 'witness' | 'long-lock';

/** A partner of a target, as a profile gives it. */
export interface TargetPartner extends PartnerCredentials {
  readonly use: PartnerUse;
  /** Each good once, all of one and the same user. */
  readonly authCodes: readonly string[];
  /** Sent with estimates as it is, so that no token need be requested. */
  readonly accessToken?: string | undefined;
}

/** Shapes of an estimate answer that the interface documents (interface.md, "Estimate record"). */
export const SHAPES = ['plain', 'express', 'carpoolSeats', 'carpoolNoSeats'] as const;

/** One documented shape of an estimate answer. */
export type Shape = (typeof SHAPES)[number];

/** Which fields enter a signature: all of them, or those named. */
export type SignedFields = 'all' | readonly string[];

/**
 * What the checker knows of a target before it speaks to it; a target profile fits it.
 * Certificates are PEM texts, not paths.
 */
export interface Target {
  readonly name: string;
  /** No trailing slash; a path prefix is allowed. */
  readonly baseUrl: string;
  /** In `test` the timestamp `_` is not checked. */
  readonly environment: 'production' | 'test';
  readonly partners: readonly TargetPartner[];
  readonly signature: { readonly tokenFields: SignedFields; readonly estimateFields: SignedFields };
  /** Query parameters laid over the default route to bring a shape. */
  readonly estimates: {
    readonly [shape in Shape]?: Readonly<Record<string, string>> | undefined;
  };
  readonly control?: { readonly url: string; readonly token?: string | undefined } | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** PEM texts: the issuer to trust, and a certificate and key for mutual TLS. */
  readonly tls?: TlsTexts | undefined;
}

/** PEM texts for a connection by TLS. */
export interface TlsTexts {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** What a check may know of its target before it speaks to it. */
export interface Facts {
  readonly environment: Target['environment'];
  readonly tokenFields: Target['signature']['tokenFields'];
  readonly estimateFields: Target['signature']['estimateFields'];
  /** Shapes that the profile brings. */
  readonly shapes: readonly Shape[];
  /** Fresh partners at will, and a clock that moves. */
  readonly hasControl: boolean;
  /** Whether each request is dear: no control API, or a suite that caps them. */
  readonly metered: boolean;
  /** Whether a rule is asked for: not each of a check's rules may be. */
  readonly asked: (rule: string) => boolean;
  /** Whether the run stays until times come that are far off. */
  readonly waits: boolean;
}
