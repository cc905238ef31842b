import { PUBLIC_TEXTS } from './public-texts.ts';

/** Words of HTTP that answers have, and the catalogue has not. */
const OF_HTTP = 'Unauthorized Unprocessable Authentication Precondition utf-8 HTTP/1.1';

/** Separator of words. */
const SEPARATOR = /[^\w.-]+/;

/** Characters from which a part of a text is not in another by chance. */
const LEAST_PART = 12;

const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/g;

/** A number is a time if it is as near to one that stands in the request, in seconds. */
const NEAR_S = 100_000;

/** Texts that hold no secret; they are taken apart when they are first asked for. */
class PublicTexts {
  #added: string[] = [];
  #text = '';
  readonly #words = new Set<string>();

  constructor(...texts: readonly string[]) {
    this.#added = [...texts];
  }

  add(text: string): void {
    this.#added.push(text);
  }

  /** Checks whether a word of them is the same in any case, or a long text a part of one. */
  has(lower: string): boolean {
    if (this.#added.length > 0) {
      const added = this.#added.join('\n').toLowerCase();
      this.#added = [];
      for (const word of added.split(SEPARATOR)) this.#words.add(word);
      this.#text += `\n${added}`;
    }
    return this.#words.has(lower) || (lower.length >= LEAST_PART && this.#text.includes(lower));
  }
}

let ofInterface: PublicTexts | null = null;

/** Texts that are no secrets, though they may look like one: the words of the interface, and of texts that were kept. */
export class PublicWords {
  readonly #kept = new PublicTexts();

  keep(text: string): void {
    this.#kept.add(text);
  }

  /** The same, and what stands in a request. */
  with(request: () => string): KnownWords {
    ofInterface ??= new PublicTexts(...PUBLIC_TEXTS, OF_HTTP);
    const shared = [ofInterface, this.#kept];
    let own: PublicTexts | null = null;
    let timesS: readonly number[] | null = null;
    return {
      has: (text) => {
        const lower = text.toLowerCase();
        if (shared.some((one) => one.has(lower))) return true;
        own ??= new PublicTexts(request());
        return own.has(lower);
      },
      hasTime: (digits) => {
        timesS ??= Array.from(request().matchAll(TIME), ([time]) => Date.parse(time) / 1000);
        const valueS = Number(digits) / (/^\d{13}/.test(digits) ? 1000 : 1);
        return timesS.some((timeS) => Math.abs(timeS - valueS) < NEAR_S);
      },
    };
  }
}

/** Texts that are known to be no secrets. */
export interface KnownWords {
  has(text: string): boolean;
  /** Checks whether a number of seconds or milliseconds is near to a time of the request. */
  hasTime(digits: string): boolean;
}
