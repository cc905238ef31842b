import type { EstimateRecord } from '../../interface/index.ts';
import { type FaultsOf, fault } from './fault.ts';
import type { Replacement } from './parts.ts';
import { changing } from './record.ts';

/** Faults of the rules on carpool records. */
export const CARPOOL_FAULTS: FaultsOf<'carpool'> = {
  'carpool/tag': fault('With carpooling, carpool_tag is 3.', {
    writeRecords: changing(({ carpool_tag }) => (carpool_tag ? { carpool_tag: '3' } : {})),
  }),
  'carpool/seat-sharing': fault('With tag 2, one element lacks its seat.', {
    writeRecords: changingElements('2', ({ seat, estimate_price }) =>
      seat === 1 ? { estimate_price } : { seat, estimate_price },
    ),
  }),
  'carpool/seats-distinct': fault('With tag 2, every element has seat 1.', {
    writeRecords: changingElements('2', (element) => ({ ...element, seat: 1 })),
  }),
  'carpool/no-seat-sharing': fault('With tag 1, the element has a seat.', {
    writeRecords: changingElements('1', (element) => ({ ...element, seat: 1 })),
  }),
  'carpool/plain': fault('A record without carpooling carries an empty carpool_info.', {
    writeRecords: changing(({ carpool_tag }) =>
      carpool_tag === undefined ? { carpool_info: [] } : {},
    ),
  }),
};

type Element = NonNullable<EstimateRecord['carpool_info']>[number];

function changingElements(
  tag: '1' | '2',
  change: (element: Element) => object,
): Replacement<'writeRecords'> {
  return changing(({ carpool_tag, carpool_info }) =>
    carpool_tag === tag ? { carpool_info: carpool_info?.map(change) } : {},
  );
}
