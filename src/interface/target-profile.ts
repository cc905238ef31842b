import { z } from 'zod';

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''));

const text = z.string().min(1);
const fields = z.union([z.literal('all'), z.array(text).min(1).readonly()]);
const shapeQuery = z.record(text, z.union([z.string(), z.number().transform(String)])).readonly();

const partner = z.strictObject({
  id: text
    .regex(/^[^|\s]+$/, 'must hold no | and no space')
    .meta({ description: 'Partner id, as assigned by the service.' }),
  signingKey: z
    .string()
    .meta({ description: 'Signing key; write ${NAME} to take it from the environment.' }),
  use: z.enum(['general', 'spendable', 'witness', 'long-lock']).default('general').meta({
    description:
      'spendable may be banned; witness never exceeds its allowance; long-lock locks 60 minutes.',
  }),
  authCodes: z
    .array(text)
    .readonly()
    .default([])
    .meta({ description: 'Single-use auth codes, all of one and the same user.' }),
  accessToken: text
    .optional()
    .meta({ description: 'Load uses this token as it is and requests none.' }),
});

/** A partner of a target profile. */
export type ProfilePartner = z.infer<typeof partner>;

/** Use of a partner in a run: whether it may be banned, and what it is reserved for. */
export type PartnerUse = ProfilePartner['use'];

const estimates = z.strictObject({
  plain: shapeQuery.optional(),
  express: shapeQuery.optional(),
  carpoolSeats: shapeQuery.optional(),
  carpoolNoSeats: shapeQuery.optional(),
});

/** Documented shape of an estimate response (interface.md, "Estimate record"). */
export type EstimateShape = keyof z.infer<typeof estimates>;

/** The shapes in the order of a profile. */
export const ESTIMATE_SHAPES = Object.keys(estimates.shape) as readonly EstimateShape[];

/** Query parameters by name, merged over the default route, that bring a shape. */
export type ShapeQuery = z.infer<typeof shapeQuery>;

/** Target profile: a target, its partners, and facts a run cannot find out; `${NAME}` filled in. */
export const targetProfileSchema = z
  .strictObject({
    name: text.meta({ description: 'Name of the target in reports.' }),
    baseUrl: z
      .union([z.literal('embedded'), httpUrl])
      .meta({ description: 'Base address, a path prefix allowed; or "embedded".' }),
    environment: z
      .enum(['production', 'test'])
      .default('production')
      .meta({ description: 'In test the timestamp _ is not checked.' }),
    local: z.boolean().optional().meta({
      description:
        'A service of your own: each run begins with whole allowances, as you restart it after a change.',
    }),
    partners: z.array(partner).readonly().default([]),
    signature: z
      .strictObject({ tokenFields: fields.default('all'), estimateFields: fields.default('all') })
      .default({ tokenFields: 'all', estimateFields: 'all' })
      .meta({ description: 'Fields that enter the signature of each request.' }),
    estimates: estimates
      .readonly()
      .default({})
      .meta({ description: 'Query parameters that bring each documented shape.' }),
    control: z
      .strictObject({ url: httpUrl, token: text.optional() })
      .optional()
      .meta({ description: "Address and token of the target's control API." }),
    ca: text
      .optional()
      .meta({ description: 'PEM file with the issuer to trust, relative to the profile.' }),
    cert: text
      .optional()
      .meta({ description: "PEM file with the client's certificate, for mutual TLS." }),
    key: text
      .optional()
      .meta({ description: "PEM file with the client's private key, for mutual TLS." }),
    headers: z
      .record(text, z.string())
      .readonly()
      .default({})
      .meta({ description: 'Header fields to send with each request.' }),
  })
  .refine((profile) => (profile.cert === undefined) === (profile.key === undefined), {
    path: ['cert'],
    message: 'cert and key go together',
  })
  .refine(
    (profile) => new Set(profile.partners.map(({ id }) => id)).size === profile.partners.length,
    {
      path: ['partners'],
      message: 'two partners have the same id',
    },
  );

/** A target, its partners, and facts that a run cannot find out by itself. */
export type TargetProfile = z.infer<typeof targetProfileSchema>;
