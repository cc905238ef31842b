import { z } from 'zod';

/** How a partner of a profile may be used: whether it may be banned, and what it is kept for. */
export type PartnerUse = 'general' | 'spendable' | 'witness' | 'long-lock';

/** A partner of a target profile. */
export interface ProfilePartner {
  id: string;
  signingKey: string;
  /** `spendable` may be banned, `witness` never goes past its allowance, `long-lock` locks 60 minutes. */
  use: PartnerUse;
  /** Each good once, all of one and the same user. */
  authCodes: readonly string[];
  /** Used by load as it is, so that no token is requested. */
  accessToken?: string | undefined;
}

/** Shapes of an estimate answer that the interface documents (interface.md, "Estimate record"). */
export type EstimateShape = 'plain' | 'express' | 'carpoolSeats' | 'carpoolNoSeats';

/** The shapes in the order of a profile. */
export const ESTIMATE_SHAPES: readonly EstimateShape[] = [
  'plain',
  'express',
  'carpoolSeats',
  'carpoolNoSeats',
];

/** Query parameters, by name, that are laid over the default route to bring a shape. */
export type ShapeQuery = Readonly<Record<string, string>>;

/** A target, who may speak to it, and what a run cannot know by itself. */
export interface TargetProfile {
  name: string;
  /** `http(s)://…`, a path prefix allowed and no trailing slash; or `embedded`. */
  baseUrl: string;
  /** In `test` the timestamp `_` is not checked. */
  environment: 'production' | 'test';
  partners: readonly ProfilePartner[];
  signature: {
    tokenFields: 'all' | readonly string[];
    estimateFields: 'all' | readonly string[];
  };
  estimates: { readonly [shape in EstimateShape]?: ShapeQuery | undefined };
  control?: { url: string; token?: string | undefined } | undefined;
  /** Path of a PEM file with the issuer to trust, relative to the profile. */
  ca?: string | undefined;
  /** Path of a PEM file with the client's certificate, for mutual TLS. */
  cert?: string | undefined;
  /** Path of a PEM file with the client's private key, for mutual TLS. */
  key?: string | undefined;
  /** Sent with each request. */
  headers: Readonly<Record<string, string>>;
}

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''));

const text = z.string().min(1);
const fields = z.union([z.literal('all'), z.array(text).min(1)]);
const shapeQuery = z.record(text, z.union([z.string(), z.number().transform(String)]));

const partner = z.strictObject({
  id: text
    .regex(/^[^|\s]+$/, 'must hold no | and no space')
    .meta({ description: 'Partner id, as assigned by the service.' }),
  signingKey: z
    .string()
    .meta({ description: 'Signing key; write ${NAME} to take it from the environment.' }),
  use: z
    .enum(['general', 'spendable', 'witness', 'long-lock'])
    .default('general')
    .meta({ description: 'spendable may be banned; witness never goes past its allowance.' }),
  authCodes: z
    .array(text)
    .default([])
    .meta({ description: 'Auth codes, each good once, all of one and the same user.' }),
  accessToken: text
    .optional()
    .meta({ description: 'Load uses this token as it is and requests none.' }),
});

/** Shape of a target profile, environment references already filled in. */
export const targetProfileSchema: z.ZodType<TargetProfile> = z
  .strictObject({
    name: text.meta({ description: 'Name of the target in reports.' }),
    baseUrl: z
      .union([z.literal('embedded'), httpUrl])
      .meta({ description: 'Base address, a path prefix allowed; or "embedded".' }),
    environment: z
      .enum(['production', 'test'])
      .default('production')
      .meta({ description: 'In test the timestamp _ is not checked.' }),
    partners: z.array(partner).default([]),
    signature: z
      .strictObject({ tokenFields: fields.default('all'), estimateFields: fields.default('all') })
      .default({ tokenFields: 'all', estimateFields: 'all' }),
    estimates: z
      .strictObject({
        plain: shapeQuery.optional(),
        express: shapeQuery.optional(),
        carpoolSeats: shapeQuery.optional(),
        carpoolNoSeats: shapeQuery.optional(),
      })
      .default({}),
    control: z.strictObject({ url: httpUrl, token: text.optional() }).optional(),
    ca: text.optional(),
    cert: text.optional(),
    key: text.optional(),
    headers: z.record(text, z.string()).default({}),
  })
  .refine((profile) => (profile.cert === undefined) === (profile.key === undefined), {
    path: ['cert'],
    message: 'cert and key go together',
  })
  .refine(
    (profile) => new Set(profile.partners.map(({ id }) => id)).size === profile.partners.length,
    {
      path: ['partners'],
      message: 'two partners carry the same id',
    },
  );
