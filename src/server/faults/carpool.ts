import type { EstimateRecord } from '../../interface/index.ts';
import type { FaultsOf } from './fault.ts';
import { changing } from './record.ts';

/** Faults of the rules on carpool records. */
export const CARPOOL_FAULTS: FaultsOf<'carpool'> = {
  'carpool/tag': {
    how: 'With carpooling, carpool_tag is 3.',
    replace: {
      writeRecords: changing(({ carpool_tag }) => (carpool_tag ? { carpool_tag: '3' } : {})),
    },
  },
  'carpool/seat-sharing': {
    how: 'With tag 2, one element lacks its seat.',
    replace: {
      writeRecords: changingElements('2', ({ seat, estimate_price }) =>
        seat === 1 ? { estimate_price } : { seat, estimate_price },
      ),
    },
  },
  'carpool/seats-distinct': {
    how: 'With tag 2, every element has seat 1.',
    replace: { writeRecords: changingElements('2', (element) => ({ ...element, seat: 1 })) },
  },
  'carpool/no-seat-sharing': {
    how: 'With tag 1, the element has a seat.',
    replace: { writeRecords: changingElements('1', (element) => ({ ...element, seat: 1 })) },
  },
  'carpool/plain': {
    how: 'A record without carpooling carries an empty carpool_info.',
    replace: {
      writeRecords: changing(({ carpool_tag }) =>
        carpool_tag === undefined ? { carpool_info: [] } : {},
      ),
    },
  },
};

type Element = NonNullable<EstimateRecord['carpool_info']>[number];

function changingElements(
  tag: '1' | '2',
  change: (element: Element) => object,
): ReturnType<typeof changing> {
  return changing(({ carpool_tag, carpool_info }) =>
    carpool_tag === tag ? { carpool_info: carpool_info?.map(change) } : {},
  );
}
