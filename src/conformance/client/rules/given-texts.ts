import type { ParsedRequest } from '../../../documents/parsed-request.ts';
import type { ScenarioFrame } from '../../../documents/scenario.ts';

/** Variables with texts, by the parameter that they are for. */
const PARAMETERS = {
  from_name: 'FAREPROOF_FROM_NAME',
  to_name: 'FAREPROOF_TO_NAME',
  imei: 'FAREPROOF_IMEI',
} as const;

type Parameter = keyof typeof PARAMETERS;

/** Encoding mistakes, and their effect on a text. */
const MISTAKES: readonly (readonly [mistake: string, of: (text: string) => string])[] = [
  ['percent-encoded twice', encodeURIComponent],
  ['percent-encoded twice', encodeURI],
  ['with + for its spaces', (text) => text.replaceAll(' ', '+')],
  ['with a space for each +', (text) => text.replaceAll('+', ' ')],
  ['decoded once too often', (text) => text.replace(/%25/g, '%')],
  ['cut at a sign that separates parts of an address', (text) => text.split(/[&#;?]/)[0] ?? ''],
  ['without what is not ASCII', (text) => text.replace(/[^\0-\x7f]/g, '')],
  ['with ? for what is not ASCII', (text) => text.replace(/[^\0-\x7f]/g, '?')],
  ['escaped as in HTML', (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
  ['with backslashes before its quotes', (text) => text.replace(/["']/g, '\\$&')],
  ['UTF-8 encoded twice', (text) => Buffer.from(text, 'utf8').toString('latin1')],
  ['without its leading zeros', (text) => text.replace(/^0+(?=.)/, '')],
];

/** The texts that a client was given and sends otherwise: `wrong` by a mistake, or changed in another way. */
export function changedTexts(
  { estimate }: ParsedRequest,
  frame: ScenarioFrame | null,
): { readonly wrong: readonly string[]; readonly changed: readonly string[] } {
  const [wrong, changed]: [string[], string[]] = [[], []];
  for (const name of givenTo(frame)) {
    const given = frame?.environment?.[PARAMETERS[name]] ?? '';
    const sent = estimate?.parameters[name];
    if (sent === undefined || sent === given || !resembles(sent, given)) continue;
    const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
    const [mistake] = MISTAKES.find(([, of]) => plain(of(given)) === plain(sent)) ?? [];
    const words = `${name} is ${JSON.stringify(sent)}`;
    if (mistake === undefined) changed.push(words);
    else wrong.push(`${words}: the text that was given, ${mistake}`);
  }
  return { wrong, changed };
}

/** True if a client sent one of the texts that it was given, or tried to. */
export function usesTexts(
  estimates: readonly ParsedRequest[],
  frame: ScenarioFrame | null,
): boolean {
  return givenTo(frame).some((name) => {
    const given = frame?.environment?.[PARAMETERS[name]] ?? '';
    return estimates.some(({ estimate }) => resembles(estimate?.parameters[name] ?? '', given));
  });
}

/** The parameters that a client was given a text for which is not empty: an empty one may be left out. */
export function givenTo(frame: ScenarioFrame | null): Parameter[] {
  const names = Object.keys(PARAMETERS) as Parameter[];
  return names.filter((name) => (frame?.environment?.[PARAMETERS[name]] ?? '') !== '');
}

/** True for a text that is the given one, has its word of six letters, or is its number without leading zeros. */
function resembles(sent: string, given: string): boolean {
  const [word] = /[A-Z][a-z]{5}/.exec(given) ?? [];
  return (
    sent === given ||
    (/^0\d+$/.test(given) && /^\d+$/.test(sent) && Number(sent) === Number(given)) ||
    (word !== undefined && sent.includes(word))
  );
}
