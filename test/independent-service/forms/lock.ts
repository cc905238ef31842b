import type { Attempt, Form, ServiceState } from '../form.ts';
import { DAY_MS, dayOf, HOUR_MS, type Lock, MINUTE_MS, textOf } from '../state.ts';
import { answer, isUsers } from './builders.ts';

const lock = (
  change: (lock: Lock) => void,
  isMeant: (lock: Lock) => boolean = () => true,
): Form => ({
  locks: (one) => {
    if (isMeant(one)) change(one);
  },
});

const shorter = (one: Lock): void => {
  one.until -= 5 * MINUTE_MS;
};

const isDefault = ({ partner }: Lock): boolean => !partner.longLock;

const longer = (one: Lock): void => {
  one.until += 5 * MINUTE_MS;
};

const isExpress = (one: Lock): boolean => one.productType === 'express-car' && !isPool(one);

const isPool = ({ rideType }: Lock): boolean => rideType.startsWith('pool');

const isLong = ({ partner }: Lock): boolean => partner.longLock;

/** Changes the lock of an estimate by its request. */
const lockOf = (change: (one: Lock, r: Attempt) => void): Form => ({
  records: (record, r) => {
    const one = r.service.locks.get(textOf(record['estimate_id']));
    if (one && isDefault(one)) change(one, r);
  },
});

const endLocks = (r: Attempt, isMeant: (one: Lock) => boolean = () => true): void => {
  for (const one of r.service.locks.values())
    if (one.partner === r.partner && isDefault(one) && isMeant(one))
      one.until = Math.min(one.until, r.service.now());
};

const lockDefault = (change: (one: Lock, service: ServiceState) => void): Form => ({
  locks: (one, service) => {
    if (isDefault(one)) change(one, service);
  },
});

const isUsual = ({ rideType }: Lock): boolean => !rideType.startsWith('pool');

/** Price of the plain style for a departure at that time. */
function priceAt(ms: number): number {
  const minute = Math.floor(ms / MINUTE_MS) % 1440;
  return 3000 + (minute >= 17 * 60 && minute < 20 * 60 ? 900 : 0);
}

/** Locks of an estimate that last too long or not long enough, or hold another price. */
export const LOCK: Readonly<Record<string, Form>> = {
  'lock/default-10-minutes#five': lock(shorter, isDefault),
  'lock/default-10-minutes#eleven': lock((one) => {
    one.until += MINUTE_MS;
  }, isDefault),
  'lock/default-10-minutes#nine': lock((one) => {
    one.until -= MINUTE_MS;
  }, isDefault),
  'lock/default-10-minutes#an-hour': lock((one) => {
    one.until = one.at + HOUR_MS;
  }, isDefault),
  'lock/default-10-minutes#express-longer': lock(longer, (one) => isDefault(one) && isExpress(one)),
  'lock/default-10-minutes#express-shorter': lock(
    shorter,
    (one) => isDefault(one) && isExpress(one),
  ),
  'lock/default-10-minutes#carpool-longer': lock(longer, (one) => isDefault(one) && isPool(one)),
  'lock/default-10-minutes#carpool-shorter': lock(shorter, (one) => isDefault(one) && isPool(one)),
  'lock/default-10-minutes#user-longer': lock(longer, (one) => isDefault(one) && isUsers(one)),
  'lock/default-10-minutes#user-shorter': lock(shorter, (one) => isDefault(one) && isUsers(one)),
  'lock/default-10-minutes#next-drops-it': {
    locks: (one, service) => {
      for (const other of service.locks.values())
        if (other.partner === one.partner && isDefault(one)) other.until = service.now();
    },
  },
  'lock/default-10-minutes#next-extends-it': {
    locks: (one, service) => {
      for (const other of service.locks.values())
        if (other.partner === one.partner && isDefault(one) && other.until > service.now())
          other.until = one.until;
    },
  },
  'lock/default-10-minutes#next-shares-its-end': {
    locks: (one, service) => {
      const first = [...service.locks.values()].find(
        (other) => other.partner === one.partner && other.until > service.now(),
      );
      if (first && isDefault(one)) one.until = first.until;
    },
  },
  'lock/default-10-minutes#read-extends-it': {
    lockView: (view, one, service) => {
      if (isDefault(one) && view['locked'] === true) one.until = service.now() + 10 * MINUTE_MS;
    },
  },
  'lock/default-10-minutes#flag-stays': {
    lockView: (view, one) => {
      if (isDefault(one)) view['locked'] = true;
    },
  },
  'lock/default-10-minutes#until-later': {
    lockView: (view, one) => {
      if (isDefault(one)) view['lockedUntil'] = new Date(one.until + 20 * MINUTE_MS).toISOString();
    },
  },
  'lock/default-10-minutes#until-earlier': {
    lockView: (view, one) => {
      if (isDefault(one)) view['lockedUntil'] = new Date(one.until - 5 * MINUTE_MS).toISOString();
    },
  },
  'lock/default-10-minutes#other-price': {
    lockView: (view, one) => {
      if (isDefault(one)) view['estimatePrice'] = one.price + 100;
    },
  },
  'lock/default-10-minutes#price-of-the-latest': {
    lockView: (view, one, service) => {
      const latest = [...service.locks.values()].findLast(({ partner }) => partner === one.partner);
      if (isDefault(one) && latest) view['estimatePrice'] = latest.price;
    },
  },
  'lock/default-10-minutes#departure-price-unlocked': {
    lockView: (view, one, service) => {
      if (isDefault(one) && service.now() - one.at > 5 * MINUTE_MS)
        view['estimatePrice'] = one.price + 100;
    },
  },
  'lock/default-10-minutes#with-departure': lockOf((one, r) => {
    if (r.fields['departure_time'] !== undefined) one.until -= 5 * MINUTE_MS;
  }),
  'lock/default-10-minutes#with-departure-longer': lockOf((one, r) => {
    if (r.fields['departure_time'] !== undefined) one.until += 5 * MINUTE_MS;
  }),
  'lock/default-10-minutes#from-departure': lockOf((one, r) => {
    const departure = Number(r.fields['departure_time'] ?? 0) * 1000;
    if (departure > one.at) one.until += departure - one.at;
  }),
  'lock/default-10-minutes#ends-with-token': lockOf((one, r) => {
    one.until = Math.min(one.until, r.token?.expires ?? one.until);
  }),
  'lock/default-10-minutes#ends-with-refresh': answer((_json, r) => {
    if (r.kind === 'refresh') endLocks(r);
  }),
  'lock/default-10-minutes#ends-with-new-token': answer((_json, r) => {
    if (r.kind === 'platform') endLocks(r);
  }),
  'lock/default-10-minutes#three-kept': lockDefault((one, service) => {
    const own = [...service.locks.values()].filter(({ partner }) => partner === one.partner);
    for (const other of own.slice(0, -2)) other.until = Math.min(other.until, one.at);
  }),
  'lock/default-10-minutes#same-route-keeps-end': lockDefault((one, service) => {
    const first = [...service.locks.values()].find(
      (other) =>
        other.partner === one.partner && other.rideType === one.rideType && other.until > one.at,
    );
    if (first) one.until = first.until;
  }),
  'lock/default-10-minutes#to-the-minute': lockDefault((one) => {
    one.until = Math.floor(one.until / MINUTE_MS) * MINUTE_MS;
  }),
  'lock/default-10-minutes#to-ten-minutes': lockDefault((one) => {
    one.until = Math.ceil(one.at / (10 * MINUTE_MS)) * 10 * MINUTE_MS;
  }),
  'lock/default-10-minutes#over-midnight': lockDefault((one) => {
    one.until = Math.min(one.until, (dayOf(one.at, 0) + 1) * DAY_MS);
  }),
  'lock/default-10-minutes#after-a-long-one': {
    locks: (one, service) => {
      const before = [...service.locks.values()].at(-1);
      if (!one.partner.longLock && before?.partner.longLock) one.until = one.at + HOUR_MS;
    },
  },
  'lock/default-10-minutes#price-of-now': {
    lockView: (view, one, service) => {
      if (!one.partner.longLock && isUsual(one))
        view['estimatePrice'] = one.price === priceAt(one.at) ? priceAt(service.now()) : one.price;
    },
  },
  'lock/partner-60-minutes#thirty': lock((one) => {
    one.until = one.at + 30 * MINUTE_MS;
  }, isLong),
  'lock/partner-60-minutes#two-hours': lock((one) => {
    one.until = one.at + 2 * HOUR_MS;
  }, isLong),
  'lock/partner-60-minutes#express': lock(
    (one) => {
      one.until = one.at + 10 * MINUTE_MS;
    },
    (one) => isLong(one) && isExpress(one),
  ),
  'lock/partner-60-minutes#carpool': lock(
    (one) => {
      one.until = one.at + 10 * MINUTE_MS;
    },
    (one) => isLong(one) && isPool(one),
  ),
  'lock/partner-60-minutes#user': lock(
    (one) => {
      one.until = one.at + 10 * MINUTE_MS;
    },
    (one) => isLong(one) && isUsers(one),
  ),
  'lock/partner-60-minutes#next-drops-it': {
    locks: (one, service) => {
      for (const other of service.locks.values())
        if (other.partner === one.partner && isLong(one)) other.until = service.now();
    },
  },
  'lock/partner-60-minutes#ends-with-refresh': answer((_json, r) => {
    if (r.kind !== 'refresh') return;
    for (const one of r.service.locks.values())
      if (one.partner === r.partner && one.partner.longLock)
        one.until = Math.min(one.until, r.service.now());
  }),
};
