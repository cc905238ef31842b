/** Levels of arrays and objects that a body may have; the bodies of the interface have one. */
export const MAX_JSON_NESTING = 32;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A JSON body is nested too deeply. */
export class NestingError extends Error {
  constructor() {
    super(`The body is nested more than ${MAX_JSON_NESTING} levels deep.`);
    this.name = 'NestingError';
  }
}

/**
 * Parses a JSON body. One byte of text can open a level, which costs many times that in memory and is
 * walked again by whatever reads the value; so the levels are counted before anything is built.
 *
 * @throws NestingError
 * @throws SyntaxError or TypeError for a body that is not JSON in UTF-8
 */
export function parseJsonBody(body: Uint8Array): unknown {
  if (nestsTooDeeply(body)) throw new NestingError();
  return JSON.parse(utf8.decode(body));
}

/** Counts levels outside strings; for text that is not JSON the parser decides. */
function nestsTooDeeply(body: Uint8Array): boolean {
  let level = 0;
  let isInString = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) at += Number(byte === BACKSLASH);
    else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      if (++level > MAX_JSON_NESTING) return true;
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) level--;
  }
  return false;
}
