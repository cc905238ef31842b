import type { EstimateShape, ShapeQuery, TargetProfile } from '../interface/index.ts';
import type { RunningServer } from './start-server.ts';

/** The query that gives each documented shape on this server; the ride type determines it. */
export const SHAPE_QUERIES: Readonly<Record<EstimateShape, ShapeQuery>> = {
  plain: { product_type: 'private-car', ride_type: 'compact' },
  express: { product_type: 'express-car', ride_type: 'express' },
  carpoolSeats: { product_type: 'express-car', ride_type: 'carpool' },
  carpoolNoSeats: { product_type: 'express-car', ride_type: 'carpool-single' },
};

/** Description of a server in a profile. */
export type DescribedServer = Pick<
  RunningServer,
  'baseUrl' | 'environment' | 'behaviour' | 'partners' | 'controlUrl' | 'controlToken'
>;

/** The profile of a running server, for `check` and `load`. */
export function describeProfile(server: DescribedServer): TargetProfile {
  const { baseUrl, environment, behaviour, partners, controlUrl, controlToken } = server;
  return {
    name: 'reference server',
    baseUrl,
    environment,
    local: true,
    partners,
    signature: {
      tokenFields: behaviour['signed-fields-token'],
      estimateFields: behaviour['signed-fields-estimate'],
    },
    estimates: SHAPE_QUERIES,
    ...(controlUrl !== null &&
      controlToken !== null && { control: { url: controlUrl, token: controlToken } }),
    headers: {},
  };
}
