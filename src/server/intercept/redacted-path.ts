import { ESTIMATES_PATH, TOKEN_PATH } from '../../interface/index.ts';

const SERVED_PATHS: ReadonlySet<string> = new Set([
  TOKEN_PATH,
  ESTIMATES_PATH,
  '/healthz',
  '/openapi.json',
]);
/** Words of the served paths, and what clients write in their place; any other may be a token. */
const WORDS: ReadonlySet<string> = new Set([
  ...[...SERVED_PATHS].flatMap((path) => path.split('/')),
  'token',
  'tokens',
  'estimate',
  'price',
]);
const VERSION = /^v\d{1,3}$/;

/** The path of a request without its query; segments not known to be harmless are replaced by `[…]`. */
export function redactedPath(target: string, secrets: readonly string[]): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?');
  if (SERVED_PATHS.has(path)) return path;
  return path
    .split('/')
    .map((part) =>
      (WORDS.has(part) || VERSION.test(part)) && !secrets.some((secret) => part.includes(secret))
        ? part
        : '[…]',
    )
    .join('/');
}
