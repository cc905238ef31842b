import { inconclusive, pass, violated } from '../../../verdict.ts';
import type { TokenAnswer } from '../../contract/messages.ts';
import { exchangesOf, observation } from '../../contract/observation.ts';

/** Compares each refresh that was seen with the tokens that were issued before it. */
export const refreshRotates = observation(
  'lifecycle/refresh-rotates',
  ['refresh'],
  ({ tokens }) => {
    const expected = 'a new access_token and a new refresh_token from each refresh';
    const refreshes = tokens.filter(({ fields }) => fields['grant_type'] === 'refresh_token');
    const byToken = (name: 'refreshToken' | 'accessToken'): Map<unknown, TokenAnswer[]> => {
      const answers = new Map<unknown, TokenAnswer[]>();
      for (const { answer } of tokens) {
        const alike = answers.get(answer[name]);
        if (alike) alike.push(answer);
        else answers.set(answer[name], [answer]);
      }
      return answers;
    };
    const byValue = { refreshToken: byToken('refreshToken'), accessToken: byToken('accessToken') };
    for (const { answer, fields } of refreshes) {
      const { refresh_token: sent } = fields;
      const [replaced] = byValue.refreshToken.get(sent) ?? [];
      const isKnown = (one: TokenAnswer): boolean =>
        one !== answer && (one.answeredAtMs <= answer.sentAtMs || one === replaced);
      const old = (['refreshToken', 'accessToken'] as const).filter(
        (name) => answer[name] !== null && byValue[name].get(answer[name])?.some(isKnown),
      );
      const same = [
        ...(answer.refreshToken === sent || old.includes('refreshToken') ? ['refresh_token'] : []),
        ...(old.includes('accessToken') ? ['access_token'] : []),
      ];
      if (same.length > 0) {
        const got = `the refresh returned an old ${same.join(' and ')}`;
        return violated(expected, got, answer.exchange, [answer.exchange]);
      }
    }
    if (refreshes.length === 0) return inconclusive('no successful refresh was seen');
    return pass(`${expected}: ${refreshes.length} seen`, exchangesOf(refreshes));
  },
);
