// Credentials of the load; the servers of a benchmark listen on loopback only.

export const ACCESS_TOKEN = 'bench-access-token-000';

export const PARTNER = {
  id: 'bench',
  signingKey: 'signing-key-of-bench',
  use: /** @type {const} */ ('general'),
  authCodes: ['bench-code'],
  accessToken: ACCESS_TOKEN,
};
