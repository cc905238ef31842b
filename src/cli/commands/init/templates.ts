/**
 * What `init` writes. A line that begins with `#` and no space is an option left out: take the `#`
 * away to set it. Every field of both shapes stands here, set or left out.
 */
export const TARGET_TEMPLATE = `# A target of fareproof: the service that is judged, or put under load.
# Lines that begin with # and no space are options left out.

# Its name in reports.
name: my-service

# A path prefix is fine. "embedded" stands for the reference server.
baseUrl: http://127.0.0.1:8080

# production, or test: there, the timestamp _ is not checked.
environment: production

# Who may speak to it. Without a control API (below) each token request is paid for from a partner's
# allowance of the day: ten platform tokens, five user tokens, ten refreshes. More partners let more
# rules be judged; fareproof check --plan shows which.
partners:
  - id: p-100
    # From the environment, so that no secret stands in this file.
    signingKey: \${P100_KEY}
    # general      within its allowance
    # spendable    may be banned for a day, with check --allow-ban
    # witness      shows that another's ban does not reach it
    # long-lock    a specially agreed partner: its estimates are locked for 60 minutes
    use: general
    # For rules on user tokens: each good once, all of one and the same user.
    #authCodes: [code-1, code-2]
    # Used as it is by load, and by rules that need no more than some token.
    #accessToken: \${P100_TOKEN}
  #- { id: p-200, signingKey: \${P200_KEY}, use: spendable }

# Which fields enter a signature: all, or a list of names.
signature:
  tokenFields: all
  #tokenFields: [grant_type, _, nostr]
  estimateFields: all

# Query parameters that bring each documented shape of an estimate; what is left out is not judged.
estimates:
  plain: { product_type: private-car, ride_type: compact }
  express: { product_type: express-car, ride_type: express }
  # An answer with carpool_tag 2: a price for each seat count.
  #carpoolSeats: { product_type: express-car, ride_type: carpool }
  # An answer with carpool_tag 1.
  #carpoolNoSeats: { product_type: express-car, ride_type: carpool-single }

# Where the service offers it: moves its clock and makes fresh partners, so that every rule can be
# judged in seconds, and no allowance is spent.
#control: { url: http://127.0.0.1:9100, token: \${CONTROL_TOKEN} }

# PEM files, relative to this one: the issuer to trust, and a client certificate with its key.
#ca: ./ca.pem
#cert: ./client.pem
#key: ./client-key.pem

# Sent with each request.
#headers: { X-Environment: staging }
`;

/** A suite of `check`, written by `init`; see {@link TARGET_TEMPLATE} for its options. */
export const SUITE_TEMPLATE = `# A suite of fareproof check: which rules are judged, and what the run must come to.
# Lines that begin with # and no space are options left out.

# Its name in reports.
name: my-suite

description: What our service has to hold before a release.

# Globs over rule ids; fareproof rules lists them. A glob that matches nothing is an error.
rules:
  include: ["*"]
  exclude: []
  #exclude: [quota/ban-*, lock/partner-60-minutes]

# Whether a rule that cannot be judged with this profile makes the run fall short.
requireComplete: false

# Judge in one environment alone: production, test, or own for that of the profile.
#environment: own

# The most token requests of the whole run; the most telling rules go first.
#tokenRequests: { most: 6 }
`;
