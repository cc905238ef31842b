/** Parameters of an estimate but for the place where it starts; for requests of this product to itself. */
export const SAMPLE_ROUTE = {
  start_lng: '116.3975',
  from_name: 'Tiananmen',
  end_lat: '39.9929',
  end_lng: '116.3106',
  to_name: 'Summer Palace',
  product_type: 'private-car',
  ride_type: 'compact',
} as const;
