import type { PartnerCredentials } from '../../partner-credentials.ts';

/** Use of a partner of a profile. */
export type PartnerUse = 'general' | 'spendable' | 'witness' | 'long-lock';

/** A partner of a target, as a profile gives it. */
export interface TargetPartner extends PartnerCredentials {
  readonly use: PartnerUse;
  /** Single-use, all of the same user. */
  readonly authCodes: readonly string[];
  /** Sent with estimates as it is, so that no token is requested. */
  readonly accessToken?: string | undefined;
}

/** Shapes of an estimate answer that the interface documents (interface.md, "Estimate record"). */
export const SHAPES = ['plain', 'express', 'carpoolSeats', 'carpoolNoSeats'] as const;

/** One documented shape of an estimate answer. */
export type Shape = (typeof SHAPES)[number];

/** Plainest of some shapes; null if there are none. */
export function plainestOf(shapes: readonly Shape[]): Shape | null {
  const order: readonly Shape[] = ['plain', 'express', 'carpoolNoSeats', 'carpoolSeats'];
  return order.find((shape) => shapes.includes(shape)) ?? null;
}

/** Fields that enter a signature: all, or those named. */
export type SignedFields = 'all' | readonly string[];

/** Facts about a target before the first request. Certificates are PEM texts, not paths. */
export interface Target {
  readonly name: string;
  /** No trailing slash; a path prefix is allowed. */
  readonly baseUrl: string;
  /** In `test` the timestamp `_` is not checked. */
  readonly environment: 'production' | 'test';
  readonly partners: readonly TargetPartner[];
  readonly signature: { readonly tokenFields: SignedFields; readonly estimateFields: SignedFields };
  /** Query parameters, merged over the default route, that bring a shape. */
  readonly estimates: {
    readonly [shape in Shape]?: Readonly<Record<string, string>> | undefined;
  };
  /** True if each run begins without a memory of earlier ones, as its user restarts it. */
  readonly local?: boolean | undefined;
  /** False if no refused request counts against an allowance; left out, each may. */
  readonly refusedRequestsCount?: boolean | undefined;
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

/** Facts that a check may use before the first request. */
export interface Facts {
  readonly environment: 'production' | 'test';
  readonly tokenFields: SignedFields;
  readonly estimateFields: SignedFields;
  /** Shapes that the profile can bring. */
  readonly shapes: readonly Shape[];
  /** True with a control API: fresh partners, and a clock that moves. */
  readonly hasControl: boolean;
  /** True if requests are limited: no control API, or a suite that caps them. */
  readonly metered: boolean;
  /** True if a refused request counts against no allowance, as the profile says or the run has seen. */
  readonly refusedAreFree: boolean;
  /** Auth codes of the profile. */
  readonly authCodes: readonly string[];
  /** Number of metered partners that checks share. */
  readonly partners: number;
  /** True if a rule is selected: not all rules of a check may be. */
  readonly asked: (rule: string) => boolean;
  /** True if the run waits for distant times. */
  readonly waits: boolean;
}

/** Facts that checks may know of a target before anything is sent. */
export function factsOf(
  {
    environment,
    signature,
    estimates,
    control,
    refusedRequestsCount,
    partners,
  }: Omit<Target, 'name' | 'baseUrl' | 'headers'>,
  run: Pick<Facts, 'metered' | 'partners' | 'asked' | 'waits'>,
): Facts {
  return {
    environment,
    ...signature,
    shapes: SHAPES.filter((shape) => estimates[shape] !== undefined),
    hasControl: control !== undefined,
    refusedAreFree: refusedRequestsCount === false,
    authCodes: partners.flatMap(({ authCodes }) => authCodes),
    ...run,
  };
}

/** Metered partners from which there is room for more than the checks themselves. */
const MANY_PARTNERS = 4;

/**
 * True if checks of a metered target may reserve more than they need: with few partners, that would leave
 * other rules unjudged.
 */
export function isRoomy({ metered, partners }: Pick<Facts, 'metered' | 'partners'>): boolean {
  return metered && partners >= MANY_PARTNERS;
}

/** Lock of an estimate, as the control API reports it. */
export interface LockState {
  readonly partnerId: string | null;
  readonly locked: boolean;
  /** Milliseconds since the epoch; NaN if the answer names no instant. */
  readonly lockedUntilMs: number;
  /** Price that is locked, in fen; null if the answer names none. */
  readonly estimatePrice: number | null;
}
