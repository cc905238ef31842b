import { LIMITS, numberWord } from '../../interface/limits.ts';
import type { EstimateShape } from '../../interface/target-profile.ts';
import { SHAPE_QUERIES } from '../../server/index.ts';

/** Fields of a profile that `init` fills in. */
export interface ProfileFacts {
  readonly name: string;
  readonly baseUrl: string;
  readonly partnerId: string;
  /** Variables of the environment; without one of a code or a token, the template has an example. */
  readonly variables: { readonly key: string; readonly code?: string; readonly token?: string };
  readonly shapes: readonly EstimateShape[];
}

/** Example of a profile, to fill in. */
export const EXAMPLE: ProfileFacts = {
  name: 'my-service',
  baseUrl: 'http://127.0.0.1:8080',
  partnerId: 'p-100',
  variables: { key: 'P100_KEY' },
  shapes: ['plain', 'express'],
};

/** A text that YAML may take for something else is quoted. */
const quoted = (text: string): string =>
  /^[a-z]+-[\w-]+$/i.test(text) ? text : JSON.stringify(text);

const reference = (variable: string): string => `\${${variable}}`;

/**
 * Target profile that `init` writes. A line that starts with `#` and no space is an option that is
 * not set: remove the `#` to set it. The template has every field, set or not.
 */
export function targetTemplate({
  name,
  baseUrl,
  partnerId,
  variables: { key, code, token },
  shapes,
}: ProfileFacts): string {
  const shape = (one: EstimateShape): string => {
    const query = Object.entries(SHAPE_QUERIES[one]).map((pair) => pair.join(': '));
    return `${shapes.includes(one) ? '' : '#'}${one}: { ${query.join(', ')} }`;
  };
  return `# Target profile of fareproof: the service to check or to put under load.
# Lines that start with # and no space are options that are not set.

# Name in reports.
name: ${quoted(name)}

# Base URL, with a path prefix if needed; or "embedded" for the reference server.
baseUrl: ${baseUrl}

# production or test; in test, the timestamp _ is not checked.
environment: production

# A service of your own, on your machine: each run begins with whole allowances, as you restart the
# service after a change. Leave it out for a service that others run, also behind a forwarded port.
#local: true

# If your service counts no refused request against an allowance, more of them are sent.
#refusedRequestsCount: false

# Partners of the service. Without a control API (below), each token request counts against a
# partner's daily allowance: ${numberWord(LIMITS.platformTokensPerDay)} platform tokens, ${numberWord(LIMITS.userTokensPerDay)} user tokens, ${numberWord(LIMITS.refreshesPerDay)} refreshes. With more partners,
# more rules can be judged; fareproof check --plan shows which.
partners:
  - id: ${quoted(partnerId)}
    # From the environment, so that this file contains no secret.
    signingKey: ${reference(key)}
    # general      stays within its allowance
    # spendable    may be banned for a day, with check --allow-ban
    # witness      shows that another partner's ban does not affect it
    # long-lock    specially agreed partner: its estimates are locked for 60 minutes
    use: general
    # For rules about user tokens: single-use, all of the same user.
    ${code === undefined ? '#authCodes: [code-1, code-2]' : `authCodes: [${reference(code)}]`}
    # Used as it is by load, and by rules that need any valid token.
    ${token === undefined ? `#accessToken: ${reference('P100_TOKEN')}` : `accessToken: ${reference(token)}`}
  #- { id: p-200, signingKey: \${P200_KEY}, use: spendable }

# Fields that enter a signature: all, or a list of names.
signature:
  tokenFields: all
  #tokenFields: [grant_type, _, nostr]
  estimateFields: all

# Query parameters that bring each documented shape of an estimate; a missing shape is not judged.
estimates:
  ${shape('plain')}
  ${shape('express')}
  # Response with carpool_tag 2: a price for each seat count.
  ${shape('carpoolSeats')}
  # Response with carpool_tag 1.
  ${shape('carpoolNoSeats')}

# Control API, if the service has one. It moves the clock and creates fresh partners, so that every
# rule can be judged in seconds without spending an allowance.
#control: { url: http://127.0.0.1:9100, token: \${CONTROL_TOKEN} }

# PEM files, relative to this file: the issuer to trust, and a client certificate with its key.
#ca: ./ca.pem
#cert: ./client.pem
#key: ./client-key.pem

# Header fields to send with each request.
#headers: { X-Environment: staging }
`;
}

/** A suite of `check`, written by `init`; see {@link targetTemplate} for its options. */
export const SUITE_TEMPLATE = `# Suite of fareproof check: the rules to judge, and the conditions to pass.
# Lines that start with # and no space are options that are not set.

# Name in reports.
name: my-suite

description: Rules that our service must pass before a release.

# Globs over rule ids; fareproof rules lists them. A glob that matches nothing is an error.
rules:
  include: ["*"]
  exclude: []
  #exclude: [quota/ban-*, lock/partner-60-minutes]

# Fail if a rule cannot be judged with this profile.
requireComplete: false

# Judge in one environment only: production, test, or own (that of the profile).
#environment: own

# Maximum number of token requests in the run; the most informative checks run first.
#tokenRequests: { most: 6 }
`;
