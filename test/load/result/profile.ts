/** A profile of a target to which nothing is sent: its answers are recorded by hand. */
export const profile = {
  name: 'recorded',
  baseUrl: 'http://127.0.0.1:1',
  environment: 'production' as const,
  partners: [{ id: 'p', signingKey: 'k', use: 'general' as const, authCodes: [] }],
  signature: { tokenFields: 'all' as const, estimateFields: 'all' as const },
  estimates: { plain: { product_type: 'private-car', ride_type: 'compact' } },
  headers: {},
};
