import { Inconclusive } from '../contract/judge.ts';
import type { EstimateAnswer, TokenAnswer } from '../contract/messages.ts';

/**
 * Requires that a refusal of a text is about the field that it stands in, and not about the signature that covers it.
 *
 * @param ask sends a right request with a further signed field of a value
 * @throws Inconclusive if that field is refused with the text, and accepted with another one
 */
export async function requireSigned(
  what: string,
  text: string,
  ask: (value: string) => Promise<TokenAnswer | EstimateAnswer>,
): Promise<void> {
  if ((await ask(text)).outcome === 'refused' && (await ask('text')).outcome === 'accepted')
    throw new Inconclusive(`${what}: a further signed field of the same text is refused too`);
}
