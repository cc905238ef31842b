/** A conforming record of an estimate for a private car, as JSON brings it. */
export const ESTIMATE_RECORD = {
  product_type: 'private-car',
  ride_type: 'compact',
  currency_code: 'CNY',
  estimate_price: 2300,
  time_in_second: 900,
  distance_in_meter: 8000,
  car_type: 1,
  dynamic: 1.5,
  estimate_id: 'e-1',
  pay_type: '1,2',
  jump_url: 'app://jump',
  download_url: 'https://example.test/download',
} as const;
