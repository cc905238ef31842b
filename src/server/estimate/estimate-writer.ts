import type { Fare } from './pricing.ts';
import type { RecordWriter } from './record.ts';
import type { ProductType, Route } from './route.ts';

/** What stands in a record between the values that differ from estimate to estimate. */
type Template = readonly [string, string, string, string, string, string];

const MARKS: Fare = { priceFen: 1, timeS: 1, distanceM: 1, dynamic: 1 };
const HOLES =
  /(?<="(?:estimate_price|time_in_second|distance_in_meter|dynamic)":)1(?=,)|(?<="estimate_id":")(?=")/g;
const ID_HOLE = /(?<="estimate_id":")(?=")/;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n';

/**
 * Writes estimate answers, head and body, out of templates that the ordinary record writer makes: so
 * both paths answer with the same bytes.
 */
export class EstimateWriter {
  readonly #records: RecordWriter;
  readonly #templates = new Map<ProductType, Map<string, Template>>();
  readonly #dynamics: string[] = [];
  #head = '';
  #headSecond = -1;

  constructor(records: RecordWriter) {
    this.#records = records;
  }

  /** The body up to the estimate_id. */
  opening(route: Route, fare: Fare): string {
    if (isCarpool(route)) return this.#whole(route, fare)[0];
    const { priceFen, timeS, distanceM, dynamic } = fare;
    const [beforePrice, beforeTime, beforeDistance, beforeDynamic, beforeId] =
      this.#templateOf(route);
    return `${beforePrice}${priceFen}${beforeTime}${timeS}${beforeDistance}${distanceM}${beforeDynamic}${this.#dynamicText(dynamic)}${beforeId}`;
  }

  /** The body behind the estimate_id; with carpooling, prices stand there too. */
  closing(route: Route, fare: Fare): string {
    return isCarpool(route) ? this.#whole(route, fare)[1] : this.#templateOf(route)[5];
  }

  /** One answer with one record, whose body opens and closes so. */
  write(opening: string, estimateId: string, closing: string, nowMs: number): string {
    const length = opening.length + estimateId.length + closing.length;
    return `${this.#headAt(nowMs)}${length}\r\n\r\n${opening}${estimateId}${closing}`;
  }

  /** Both parts of a body as the record writer makes it. */
  #whole(route: Route, fare: Fare): [string, string] {
    const [opening = '', closing = ''] = JSON.stringify([
      this.#records.record(route, fare, ''),
    ]).split(ID_HOLE);
    return [opening, closing];
  }

  #templateOf({ productType, rideType }: Route): Template {
    return (
      this.#templates.get(productType)?.get(rideType) ?? this.#makeTemplate(productType, rideType)
    );
  }

  #makeTemplate(productType: ProductType, rideType: string): Template {
    const record = this.#records.record({ productType, rideType }, MARKS, '');
    const template = JSON.stringify([record]).split(HOLES) as unknown as Template;
    const ofProduct = this.#templates.get(productType) ?? new Map<string, Template>();
    this.#templates.set(productType, ofProduct.set(rideType, template));
    return template;
  }

  /** Hundredths have few values, and writing a fraction is dear. */
  #dynamicText(dynamic: number): string {
    const hundredths = Math.round(dynamic * 100);
    const known = this.#dynamics[hundredths];
    if (known !== undefined) return known;
    this.#dynamics[hundredths] = String(dynamic);
    return String(dynamic);
  }

  #headAt(nowMs: number): string {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#headSecond) {
      this.#headSecond = second;
      this.#head = `${HEAD}Date: ${new Date(second * 1000).toUTCString()}\r\nContent-Length: `;
    }
    return this.#head;
  }
}

function isCarpool({ rideType }: Route): boolean {
  return rideType.startsWith('carpool');
}
