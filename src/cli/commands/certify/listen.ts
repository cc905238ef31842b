import type { ListenWatch } from '../../../app/certify/listen.ts';
import type { ProfilePartner } from '../../../interface/index.ts';
import { escapeTerminalLine } from '../../../report/index.ts';

const GREEN = 32;
const RED = 31;
const YELLOW = 33;
const MAX_CHARACTERS = 600;

/**
 * Instructions for the client that is listened to.
 *
 * @param target address that requests are forwarded to; null for the embedded server
 */
export function greeting(
  baseUrl: string,
  partners: readonly ProfilePartner[],
  target: string | null,
): string[] {
  const instructions =
    target === null
      ? ['Configure your client with:', ...environment(baseUrl, partners)]
      : [
          `Point your client at ${baseUrl} in place of ${target}.`,
          `Signatures are checked with the keys of ${partners.map(({ id }) => id).join(', ')}.`,
        ];
  return [
    ...instructions,
    'Each request is judged as it arrives; Ctrl-C ends and writes the report.',
    '',
  ];
}

function environment(baseUrl: string, [partner]: readonly ProfilePartner[]): string[] {
  if (partner === undefined) return [];
  const [code, ...others] = partner.authCodes;
  return [
    `  FAREPROOF_BASE_URL=${baseUrl}`,
    `  FAREPROOF_PARTNER_ID=${partner.id}`,
    `  FAREPROOF_SIGNING_KEY=${partner.signingKey}`,
    `  FAREPROOF_AUTH_CODE=${code}   (good once; more: ${others.slice(0, 3).join(' ')})`,
  ];
}

/** A request, and the rules that it broke, as lines for the terminal. */
export function requestLines(
  { request, broken }: Parameters<ListenWatch['onRequest']>[0],
  isColored: boolean,
): string[] {
  const { receivedMs, id, method, path, answer, signature } = request;
  const printable = (text: string): string => escapeTerminalLine(text, MAX_CHARACTERS);
  const paint = (color: number, text: string): string =>
    isColored ? `\u001b[${color}m${text}\u001b[0m` : text;
  const time = new Date(receivedMs).toISOString().slice(11, 23);
  const isRefused = answer.status !== null && answer.status >= 400;
  const gaps = (isRefused && signature?.verdict === 'right' && signature.gaps) || [];
  const verdict = broken.length + gaps.length === 0 ? paint(GREEN, 'ok') : '';
  return [
    `${time} ${id} ${method} ${printable(path)} ${answer.status ?? '-'} ${verdict}`,
    ...broken.flatMap(({ rule, level, expected, got }) => [
      `  ${paint(RED, level === 'must' ? 'FAIL' : 'WARN')} ${rule}: ${printable(got)}`,
      `       expected: ${printable(expected)}`,
    ]),
    ...gaps.map(
      (gap) =>
        `  ${paint(YELLOW, 'GAP')}  the signature is right under another answer to ${gap} than this server gives; see \`fareproof rules\``,
    ),
  ];
}
