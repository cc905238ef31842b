import { isLoopback } from '../../interface/loopback.ts';

/** Variables by which other programs use a proxy, by the scheme of the target. */
const VARIABLES = {
  'http:': ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'],
  'https:': ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'],
} as const;

/** The error of a target that cannot be reached, and its address. */
const UNREACHABLE = /\bTARGET_UNREACHABLE: .*?\b(https?:)(\/\/[^\s,;]+)/s;

/**
 * Says that a proxy which the environment names is not used, where a target beyond loopback cannot be
 * reached; null for any other text.
 *
 * @param text what is reported, with the code of the error
 */
export function proxyWords(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const [, scheme, address] = UNREACHABLE.exec(text) ?? [];
  if (scheme !== 'http:' && scheme !== 'https:') return null;
  const baseUrl = `${scheme}${address}`;
  const variable = VARIABLES[scheme].find((name) => env[name]);
  if (variable === undefined || !URL.canParse(baseUrl) || isLoopback(baseUrl)) return null;
  return `${variable} is set, but fareproof uses no proxy: run it where it can connect to the target itself.`;
}
