import { type EstimateIds, ID_LENGTH } from '../service/estimate/estimate-ids.ts';
import type { Fare } from '../service/estimate/pricing.ts';
import type { RecordWriter } from '../service/estimate/record.ts';
import type { Route } from '../service/estimate/route.ts';
import type { Partner } from '../service/state/partners.ts';

/** An answer, head and body, complete but for the estimate_id and the date. */
export interface EstimateAnswer {
  readonly bytes: Buffer;
  readonly idAt: number;
  /** The date in the head, in Unix seconds. */
  second: number;
}

/** An answer that is reused for all fares whose values have the same number of digits. */
interface Layout extends EstimateAnswer {
  /** End of each value, in the order of the record. */
  readonly ends: readonly [priceFen: number, timeS: number, distanceM: number, dynamic: number];
}

/** The common text of the answers for one product and ride type. */
interface Form {
  readonly productType: string;
  readonly rideType: string;
  /** The text of the body between the values. */
  readonly pieces: readonly string[];
  /** By the numbers of digits of the values, four bits each. */
  readonly layouts: Map<number, Layout>;
}

/** Stands for none: comparing null would be another operation for V8 than comparing texts. */
const NO_FORM: Form = { productType: '', rideType: '', pieces: [], layouts: new Map() };
const MARKS: Fare = { priceFen: 1, timeS: 1, distanceM: 1, dynamic: 1 };
const HOLES =
  /(?<="(?:estimate_price|time_in_second|distance_in_meter|dynamic)":)1(?=,)|(?<="estimate_id":")(?=")/g;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nDate: ';
const NO_ID = ' '.repeat(ID_LENGTH);
const NO_DATE = ' '.repeat(new Date(0).toUTCString().length);
const DIGIT_0 = 0x30;
/** Texts of multiples of 0.01, by the number of hundredths, since formatting a fraction is slow; up to 10. */
const HUNDREDTHS = Array.from({ length: 1_001 }, (_, hundredths) => String(hundredths / 100));

/**
 * Writes estimate answers into templates made by the ordinary record writer, so that both paths give
 * the same bytes. Only digits are written for each request: joining texts would create garbage. An
 * answer is valid until the next one is made.
 */
export class EstimateWriter {
  readonly #records: RecordWriter;
  readonly #ids: EstimateIds;
  readonly #forms = new Map<string, Form>();
  #form: Form = NO_FORM;
  #layout: Layout | null = null;
  #layoutKey = 0;
  #second = -1;
  #date = '';

  constructor(records: RecordWriter, ids: EstimateIds) {
    this.#records = records;
    this.#ids = ids;
  }

  /** Makes the answer for a route at a fare, without id and date. */
  answer(route: Route, fare: Fare): EstimateAnswer {
    if (route.rideType.startsWith('carpool')) return this.#carpool(route, fare);
    const { priceFen, timeS, distanceM } = fare;
    const dynamic = dynamicText(fare.dynamic);
    const key =
      digitsOf(priceFen) |
      (digitsOf(timeS) << 4) |
      (digitsOf(distanceM) << 8) |
      (dynamic.length << 12);
    const layout = this.#layoutOf(route, fare, key);
    const { bytes, ends } = layout;
    putDigits(bytes, ends[0], priceFen);
    putDigits(bytes, ends[1], timeS);
    putDigits(bytes, ends[2], distanceM);
    const dynamicAt = ends[3] - dynamic.length;
    for (let at = 0; at < dynamic.length; at++) bytes[dynamicAt + at] = dynamic.charCodeAt(at);
    return layout;
  }

  /** Writes a new estimate_id and the date into an answer; returns its bytes. */
  finish(answer: EstimateAnswer, partner: Partner, priceFen: number, nowMs: number): Buffer {
    const second = Math.floor(nowMs / 1000);
    if (answer.second !== second) this.#putDate(answer, second);
    this.#ids.put(answer.bytes, answer.idAt, partner, priceFen, nowMs);
    return answer.bytes;
  }

  #layoutOf(route: Route, fare: Fare, key: number): Layout {
    const form = this.#formOf(route);
    if (this.#form === form && this.#layoutKey === key && this.#layout) return this.#layout;
    const layout = form.layouts.get(key) ?? this.#makeLayout(form.pieces, fare);
    form.layouts.set(key, layout);
    this.#form = form;
    this.#layoutKey = key;
    this.#layout = layout;
    return layout;
  }

  #formOf({ productType, rideType }: Route): Form {
    const last = this.#form;
    if (last.productType === productType && last.rideType === rideType) return last;
    const name = `${productType} ${rideType}`;
    const known = this.#forms.get(name);
    if (known !== undefined) return known;
    const record = this.#records.record({ productType, rideType }, MARKS, '');
    const pieces = JSON.stringify([record]).split(HOLES);
    const form: Form = { productType, rideType, pieces, layouts: new Map() };
    this.#forms.set(name, form);
    return form;
  }

  #makeLayout(pieces: readonly string[], fare: Fare): Layout {
    const values = [
      fare.priceFen,
      fare.timeS,
      fare.distanceM,
      dynamicText(fare.dynamic),
      NO_ID,
    ].map(String);
    let body = '';
    const bodyEnds = pieces.map((piece, index) => {
      body += piece + (values[index] ?? '');
      return body.length;
    });
    const answer = answerOf(body);
    const bodyAt = answer.bytes.length - body.length;
    const [price = 0, time = 0, distance = 0, dynamic = 0] = bodyEnds.map((end) => bodyAt + end);
    const ends = [price, time, distance, dynamic] as const;
    // No spread: its first objects have another shape than later ones.
    return { bytes: answer.bytes, idAt: answer.idAt, second: answer.second, ends };
  }

  /** Makes the answer of a carpool record, whose further prices have no template. */
  #carpool(route: Route, fare: Fare): EstimateAnswer {
    return answerOf(JSON.stringify([this.#records.record(route, fare, NO_ID)]));
  }

  #putDate(answer: EstimateAnswer, second: number): void {
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(second * 1000).toUTCString();
    }
    answer.second = second;
    answer.bytes.write(this.#date, HEAD.length, 'latin1');
  }
}

/** Head and ASCII body of an answer, with room for the date. */
function answerOf(body: string): EstimateAnswer {
  const text = `${HEAD}${NO_DATE}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return {
    bytes: Buffer.from(text, 'latin1'),
    idAt: text.indexOf(NO_ID, HEAD.length + NO_DATE.length),
    second: -1,
  };
}

function dynamicText(dynamic: number): string {
  return HUNDREDTHS[Math.round(dynamic * 100)] ?? String(dynamic);
}

function digitsOf(whole: number): number {
  let digits = 1;
  for (let bound = 10; whole >= bound && digits < 10; bound *= 10) digits++;
  return digits;
}

/** Writes the digits of a whole number below 2^31 before an end. */
function putDigits(bytes: Uint8Array, end: number, whole: number): void {
  let rest = whole | 0;
  let at = end;
  do {
    const tens = (rest / 10) | 0;
    bytes[--at] = DIGIT_0 + rest - tens * 10;
    rest = tens;
  } while (rest > 0);
}
