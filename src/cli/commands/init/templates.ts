/**
 * Target profile that `init` writes. A line that starts with `#` and no space is an option that is
 * not set: remove the `#` to set it. The template has every field, set or not.
 */
export const TARGET_TEMPLATE = `# Target profile of fareproof: the service to check or to put under load.
# Lines that start with # and no space are options that are not set.

# Name in reports.
name: my-service

# Base URL, with a path prefix if needed; or "embedded" for the reference server.
baseUrl: http://127.0.0.1:8080

# production or test; in test, the timestamp _ is not checked.
environment: production

# A service of your own, on your machine: each run begins with whole allowances, as you restart the
# service after a change. Leave it out for a service that others run, also behind a forwarded port.
#local: true

# Partners of the service. Without a control API (below), each token request counts against a
# partner's daily allowance: ten platform tokens, five user tokens, ten refreshes. With more partners,
# more rules can be judged; fareproof check --plan shows which.
partners:
  - id: p-100
    # From the environment, so that this file contains no secret.
    signingKey: \${P100_KEY}
    # general      stays within its allowance
    # spendable    may be banned for a day, with check --allow-ban
    # witness      shows that another partner's ban does not affect it
    # long-lock    specially agreed partner: its estimates are locked for 60 minutes
    use: general
    # For rules about user tokens: single-use, all of the same user.
    #authCodes: [code-1, code-2]
    # Used as it is by load, and by rules that need any valid token.
    #accessToken: \${P100_TOKEN}
  #- { id: p-200, signingKey: \${P200_KEY}, use: spendable }

# Fields that enter a signature: all, or a list of names.
signature:
  tokenFields: all
  #tokenFields: [grant_type, _, nostr]
  estimateFields: all

# Query parameters that bring each documented shape of an estimate; a missing shape is not judged.
estimates:
  plain: { product_type: private-car, ride_type: compact }
  express: { product_type: express-car, ride_type: express }
  # Response with carpool_tag 2: a price for each seat count.
  #carpoolSeats: { product_type: express-car, ride_type: carpool }
  # Response with carpool_tag 1.
  #carpoolNoSeats: { product_type: express-car, ride_type: carpool-single }

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

/** A suite of `check`, written by `init`; see {@link TARGET_TEMPLATE} for its options. */
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
