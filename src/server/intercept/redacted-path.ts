import { ESTIMATES_PATH, TOKEN_PATH } from '../../interface/index.ts';

const SERVED_PATHS: ReadonlySet<string> = new Set([
  TOKEN_PATH,
  ESTIMATES_PATH,
  '/healthz',
  '/openapi.json',
]);
/** A word or a version, as paths consist of; a token does not match. */
const PLAIN = /^(v\d{1,3}|[a-z][a-z_.-]{0,23}|)$/i;

/** The path of a request without its query; segments that may be secrets are replaced by `[…]`. */
export function redactedPath(target: string, secrets: readonly string[]): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  if (SERVED_PATHS.has(path)) return path;
  return path
    .split('/')
    .map((part) =>
      PLAIN.test(part) && !secrets.some((secret) => part.includes(secret)) ? part : '[…]',
    )
    .join('/');
}
