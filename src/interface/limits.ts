/**
 * Limits of the service (interface.md, "Limits"); durations are in whole seconds, counts per day.
 */
export const LIMITS = {
  /** Platform token requests per day. */
  platformTokensPerDay: 10,
  /** Personal (user) token requests per day. */
  userTokensPerDay: 5,
  /** Token refreshes per day. */
  refreshesPerDay: 10,
  /** Ban after an allowance is exceeded, in seconds: 24 hours. */
  banSeconds: 86_400,
  /** Validity of the timestamp field `_`, in seconds: 10 minutes. */
  timestampValiditySeconds: 600,
  /** Length of nostr, in characters. */
  nostrLength: 6,
  /** Default lock of an estimate, in seconds: 10 minutes. */
  estimateLockSeconds: 600,
  /** Lock of an estimate for specially agreed partner channels, in seconds: 60 minutes. */
  longEstimateLockSeconds: 3600,
} as const;

/** Length of a ban, ms. */
export const BAN_MS: number = LIMITS.banSeconds * 1000;

const NUMBERS = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');
const ORDINALS =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(
    ' ',
  );

/** A number in words, such as `ten`; in digits beyond twelve. */
export const numberWord = (count: number): string => NUMBERS[count] ?? String(count);

/** The number of a request in words, such as `eleventh`; in digits beyond twelfth. */
export const ordinalWord = (number: number): string => ORDINALS[number] ?? `${number}th`;

const HOUR_S = 3600;

/** A duration of whole minutes or hours in words, such as `24 hours`. */
function durationWords(seconds: number): string {
  const isHours = seconds > HOUR_S && seconds % HOUR_S === 0;
  return isHours ? `${seconds / HOUR_S} hours` : `${seconds / 60} minutes`;
}

/** Durations of the interface in words (interface.md, "Limits"). */
export const DURATION_WORDS = {
  ban: durationWords(LIMITS.banSeconds),
  timestampValidity: durationWords(LIMITS.timestampValiditySeconds),
  estimateLock: durationWords(LIMITS.estimateLockSeconds),
  longEstimateLock: durationWords(LIMITS.longEstimateLockSeconds),
} as const;

/** The three allowances of a partner, counted separately, in the order of the interface. */
export const ALLOWANCE_KINDS = ['platform', 'user', 'refresh'] as const;
/** One of the allowances. */
export type AllowanceKind = (typeof ALLOWANCE_KINDS)[number];

/** Requests per day by allowance (interface.md, "Limits"). */
export const ALLOWANCE_PER_DAY: Readonly<Record<AllowanceKind, number>> = {
  platform: LIMITS.platformTokensPerDay,
  user: LIMITS.userTokensPerDay,
  refresh: LIMITS.refreshesPerDay,
};

/** Path of the token endpoint, below the base URL (interface.md, "Endpoints"). */
export const TOKEN_PATH = '/v1/oauth/token';
/** Path of the estimate endpoint, below the base URL (interface.md, "Endpoints"). */
export const ESTIMATES_PATH = '/v1/estimates/prices';

/** Grant types of the token endpoint (interface.md, "Token request body"). */
export const GRANT_TYPES = ['client_credentials', 'refresh_token', 'authorization_code'] as const;
/** One of the three grant types. */
export type GrantType = (typeof GRANT_TYPES)[number];

/** The allowance that a grant draws on (interface.md, "Limits"). */
export const ALLOWANCE_OF_GRANT: Readonly<Record<GrantType, AllowanceKind>> = {
  client_credentials: 'platform',
  authorization_code: 'user',
  refresh_token: 'refresh',
};

/** Scopes that the interface names (interface.md, "Scope values"). */
export const SCOPES = ['public', 'rides.read', 'rides.request', 'profile'] as const;

/** Fields of a token request, in the order of the interface (interface.md, "Token request body"). */
export const TOKEN_FIELDS = [
  'grant_type',
  'scope',
  '_',
  'nostr',
  'refresh_token',
  'auth_code',
] as const;

/** Query parameters that an estimate request may carry (interface.md, "2. Estimate prices"). */
export const OPTIONAL_ESTIMATE_PARAMETERS = ['imei', 'map_type', 'departure_time'] as const;
/** One of them. */
export type OptionalParameter = (typeof OPTIONAL_ESTIMATE_PARAMETERS)[number];

/** Query parameters that an estimate request must carry (interface.md, "2. Estimate prices"). */
export const REQUIRED_ESTIMATE_PARAMETERS = [
  'start_lat',
  'start_lng',
  'from_name',
  'end_lat',
  'end_lng',
  'to_name',
  'product_type',
  'ride_type',
] as const;

/** All query parameters of an estimate request, in the order of the interface. */
export const ESTIMATE_PARAMETERS: readonly string[] = [
  'imei',
  ...REQUIRED_ESTIMATE_PARAMETERS,
  ...OPTIONAL_ESTIMATE_PARAMETERS.slice(1),
];

/** Products that the interface names for estimates (interface.md, "What the service does"). */
export const PRODUCT_TYPES = ['private-car', 'express-car'] as const;
/** One of the products. */
export type ProductType = (typeof PRODUCT_TYPES)[number];

/** Ride types that the interface shows; the full list is a gap (interface.md, "Estimate record"). */
export const RIDE_TYPES = ['compact', 'express'] as const;
