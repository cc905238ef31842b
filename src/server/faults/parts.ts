import type { EstimateSteps } from '../service/estimate/estimate-endpoint.ts';
import type { EstimateIds, EstimateLocks } from '../service/estimate/estimate-ids.ts';
import type { FastPathRules } from '../service/estimate/fast-path-rules.ts';
import type { Pricing } from '../service/estimate/pricing.ts';
import type { Answer, ServiceRequest } from '../service/messages.ts';
import type { SignatureCheck, Signer } from '../service/signature-check.ts';
import type { AllowanceRules, Allowances } from '../service/state/allowances.ts';
import type { AuthCodes } from '../service/state/auth-codes.ts';
import type { Partners } from '../service/state/partners.ts';
import type { Tokens } from '../service/state/tokens.ts';
import type { FreshnessLimits } from '../service/token/timestamp.ts';
import type { TokenSteps } from '../service/token/token-endpoint.ts';
import type { RequestInHand } from './request-in-hand.ts';

/** The parts of a service that a fault can replace: limits, collaborators, and steps of the endpoints. */
export interface ServiceParts extends TokenSteps, EstimateSteps {
  readonly accessTokenLifetimeMs: number;
  readonly allowanceRules: AllowanceRules;
  readonly estimateLocks: EstimateLocks;
  readonly freshnessLimits: FreshnessLimits;
  readonly partners: Partners;
  readonly authCodes: AuthCodes;
  readonly tokens: Tokens;
  readonly allowances: Allowances;
  readonly estimateIds: EstimateIds;
  readonly pricing: Pricing;
  readonly tokenSigner: Signer;
  readonly signatures: SignatureCheck;
  readonly answerToken: (request: ServiceRequest) => Answer | Promise<Answer>;
  readonly answerEstimate: (request: ServiceRequest) => Answer | Promise<Answer>;
  readonly servedPath: (path: string) => string;
  readonly fastPath: FastPathRules;
}

/** Makes a broken part from the sound one; the part may ask about the request that is answered. */
export type Replacement<Name extends keyof ServiceParts> = (
  sound: ServiceParts[Name],
  inHand: RequestInHand,
) => ServiceParts[Name];

/** The replacements of some parts, by name. */
export type Replacements = { readonly [Name in keyof ServiceParts]?: Replacement<Name> };

/** Gives the part to use in place of a sound one. */
export type ReplacePart = <Name extends keyof ServiceParts>(
  name: Name,
  sound: ServiceParts[Name],
) => ServiceParts[Name];

/** Replaces nothing. */
export const intact: ReplacePart = (_, sound) => sound;

/** Replaces with all of these, one after the other. */
export function replaceWith(all: readonly Replacements[], inHand: RequestInHand): ReplacePart {
  return (name, sound) =>
    all.reduce((part, replacements) => replacements[name]?.(part, inHand) ?? part, sound);
}

/** Replaces every member of an object of steps. */
export function replaceAll<Steps extends Partial<ServiceParts>>(
  replace: ReplacePart,
  steps: Steps,
): Steps {
  const names = Object.keys(steps) as (keyof ServiceParts)[];
  return Object.fromEntries(
    names.map((name) => [name, replace(name, steps[name] as ServiceParts[typeof name])]),
  ) as Steps;
}
