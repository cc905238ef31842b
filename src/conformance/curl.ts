import type { Exchange } from '../documents/sealed.ts';

/** Pseudonym of a secret. */
const PSEUDONYM = /\[([a-z_]+) ([^\]\s]+)\]/g;

/** Command that repeats an exchange, its secrets as `$VARIABLES`. */
export function curlOf({ request }: Exchange): string {
  const parts = ['curl', '-i', '-X', request.method, quote(request.url)];
  for (const [name, value] of Object.entries(request.headers))
    parts.push('-H', quote(`${name}: ${value}`));
  if (request.body !== null) parts.push('--data-binary', quote(request.body));
  return parts.join(' ');
}

/** Quotes a text so that the shell fills in only the variables. */
function quote(text: string): string {
  const escaped = text.replace(/["\\`$!]/g, (mark) => (mark === '!' ? '"\'!\'"' : `\\${mark}`));
  const filled = escaped.replace(
    PSEUDONYM,
    (_whole, kind: string, label: string) =>
      `\${${`${kind}_${label}`.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}}`,
  );
  return `"${filled}"`;
}
