import { z } from 'zod';
import { DURATION_WORDS } from './limits.ts';
import { readShape } from './shape-problems.ts';

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true })
  .superRefine((url, context) => {
    const { username, password, search, hash } = new URL(url);
    const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
    if (username !== '' || password !== '')
      refuse('must not contain a user or password; send them as one of "headers"');
    if (search !== '' || hash !== '') refuse('must end with its path, without ? or #');
  })
  .overwrite((url) => url.replace(/\/+$/, ''));

const text = z.string().min(1);
const fields = z.union([z.literal('all'), z.array(text).min(1).readonly()]);
const shapeQuery = z
  .record(text, z.union([z.string(), z.number().transform(String).pipe(z.string())]))
  .readonly();

/** Server and client would read other characters of a header differently. */
const headerText = text.regex(/^[\x21-\x7e]*$/, {
  error: 'must be visible ASCII, because it is sent in a header',
});

/** Header names and values that Node sends. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const headers = z.record(text, z.string()).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    if (HEADER_NAME.test(name) && HEADER_VALUE.test(value)) continue;
    const message = 'cannot be sent as a header: it contains a forbidden character';
    context.addIssue({ code: 'custom', path: [name], message });
  }
});

const authCodes = z.array(text).superRefine((codes, context) => {
  for (const [at, code] of codes.entries()) {
    if (codes.indexOf(code) === at) continue;
    const message = 'is listed twice, but works only once';
    context.addIssue({ code: 'custom', path: [at], message });
  }
});

const partner = z.strictObject({
  id: headerText
    .regex(/^[^|\s]+$/, 'must hold no | and no space')
    .meta({ description: 'Partner id, as assigned by the service.' }),
  // A secret that is missing in a job is an empty variable.
  signingKey: z
    .string()
    .min(1, { error: 'is empty' })
    .meta({ description: 'Signing key; write ${NAME} to take it from the environment.' }),
  use: z
    .enum(['general', 'spendable', 'witness', 'long-lock'])
    .default('general')
    .meta({
      description: `spendable may be banned; witness never exceeds its allowance; long-lock locks ${DURATION_WORDS.longEstimateLock}.`,
    }),
  authCodes: authCodes
    .readonly()
    .default([])
    .meta({ description: 'Single-use auth codes, all of one and the same user.' }),
  accessToken: headerText
    .optional()
    .meta({ description: 'Load uses this token as it is and requests none.' }),
});

const partners = z
  .array(partner)
  .refine((some) => new Set(some.map(({ id }) => id)).size === some.length, {
    message: 'two partners have the same id',
  })
  .readonly();

const estimates = z.strictObject({
  plain: shapeQuery.optional(),
  express: shapeQuery.optional(),
  carpoolSeats: shapeQuery.optional(),
  carpoolNoSeats: shapeQuery.optional(),
});

/** Documented shape of an estimate response (interface.md, "Estimate record"). */
export type EstimateShape = keyof TargetProfile['estimates'];

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
    refusedRequestsCount: z.boolean().optional().meta({
      description:
        'Set it to false if your service counts no refused request against an allowance: more can be judged then.',
    }),
    partners: partners.default([]),
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
    headers: headers
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

/** A target profile as it is written: what has a default may be left out. */
export type TargetProfileInput = z.input<typeof targetProfileSchema>;

/** A partner of a target profile. */
export type ProfilePartner = TargetProfile['partners'][number];

/** A partner as a profile writes it: what has a default may be left out. */
export type ProfilePartnerInput = NonNullable<TargetProfileInput['partners']>[number];

/** Use of a partner in a run: whether it may be banned, and what it is reserved for. */
export type PartnerUse = ProfilePartner['use'];

/**
 * Fills in the defaults of a target profile; one that is whole stays as it is.
 *
 * @throws ConfigurationError `PROFILE_INVALID`, with the fields that are wrong
 */
export function readTargetProfile(profile: TargetProfileInput): TargetProfile {
  return readShape(targetProfileSchema, profile, { name: 'profile', code: 'PROFILE_INVALID' });
}

/**
 * Fills in the defaults of partners.
 *
 * @throws ConfigurationError `PARTNERS_INVALID`, with the fields that are wrong
 */
export function readPartners(some: readonly ProfilePartnerInput[]): readonly ProfilePartner[] {
  return readShape(partners, some, { name: 'partners', code: 'PARTNERS_INVALID' });
}
