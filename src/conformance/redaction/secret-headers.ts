/** Headers of a profile that hold no secret. */
const PLAIN_HEADER =
  /^(accept(-.*)?|cache-control|connection|content-type|host|origin|referer|user-agent|via)$/i;

/** Shorter parts of a header are words and numbers. */
const SHORTEST_PART = 8;

/**
 * Secrets in the headers that a profile adds to each request: the values, and the parts that a target
 * may echo by themselves, as are credentials without their scheme, values of cookies, and what Basic
 * credentials encode.
 */
export function secretsInHeaders(headers: Readonly<Record<string, string>>): string[] {
  const secrets = Object.entries(headers).flatMap(([name, value]) =>
    PLAIN_HEADER.test(name) ? [] : [value, ...partsOf(value)],
  );
  return [...new Set(secrets)];
}

function partsOf(value: string): string[] {
  const basic = /^basic +([\w+/=-]+)$/i.exec(value)?.[1];
  const decoded = basic === undefined ? '' : Buffer.from(basic, 'base64').toString('utf8');
  const password = decoded.slice(decoded.indexOf(':') + 1);
  const words = value.split(/[\s,;]+/).flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]);
  return [decoded, password, ...words].filter((part) => part.length >= SHORTEST_PART);
}
