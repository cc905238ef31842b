import { ESTIMATE_PARAMETERS } from '../../../interface/limits.ts';
import type { ReceivedText } from '../../../redaction/index.ts';
import type { RequestParts } from '../parsing/request.ts';
import type { CapturedExchange } from '../traffic/captured.ts';

/** Header fields of a client that hold no secret, and those that the interface has. */
const PLAIN_FIELD =
  /^(accept(-.*)?|cache-control|connection|content-(length|type)|date|expect|host|origin|user-agent|via)$/i;

/** Texts of an exchange that may hold secrets which nobody understands. */
export function receivedTexts(
  { request, answer }: CapturedExchange,
  { kind, path, authorization: { form }, query: { parameters, inBody } }: RequestParts,
): Readonly<Record<'sentBody' | 'sentHead' | 'answerBody' | 'answerHead', ReceivedText>> {
  const { method, target, headers, body, receivedMs } = request;
  const sent = Buffer.from(body).toString('utf8');
  const isUsual = (name: string): boolean =>
    PLAIN_FIELD.test(name) || (name === 'authorization' && form !== 'other');
  const isDocumented = ([name]: readonly [string, unknown]): boolean =>
    ESTIMATE_PARAMETERS.includes(name);
  const query = Object.entries(parameters);
  const head = [
    ...Object.entries(headers).filter(([name]) => !isUsual(name)),
    ...query.filter((one) => !isDocumented(one)),
    // Each segment for itself: a wrong path of several words is judged, and no token.
    ...path.split('/').map((segment) => ['path', segment]),
  ];
  // Times, and names of places, are no secrets.
  const known = (): string =>
    [new Date(receivedMs).toISOString(), linesOf(query.filter(isDocumented))].join('\n');
  return {
    sentBody: { text: sent, kind: inBody ? 'other' : 'sent', request: known },
    sentHead: { text: linesOf(head), kind: 'sent', request: known },
    answerBody: {
      text: answer?.body ?? '',
      kind: kind === 'estimate' ? 'other' : 'token-answer',
      request: () => [method, target, linesOf(Object.entries(headers)), sent].join('\n'),
    },
    answerHead: { text: linesOf(Object.entries(answer?.headers ?? {})), kind: 'other' },
  };
}

function linesOf(fields: readonly (readonly unknown[])[]): string {
  return fields.map((field) => field.join(': ')).join('\n');
}
