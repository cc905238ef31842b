import type { ParsedRequest } from '../traffic/parsed-request.ts';
import type { ClientCheck } from './check.ts';

/** Whether SIGN is right, and if not, why (interface.md, "Signature algorithm"). */
export const SIGNATURE_CHECKS: readonly ClientCheck[] = [
  {
    rule: 'client/signature',
    judge: ({ requests }) => {
      const signed = requests.filter(({ signature }) => signature !== null);
      // One that is explained says what to mend; it is shown before those that are not.
      const isExplained = ({ signature }: ParsedRequest): boolean =>
        signature?.verdict === 'explained';
      const told = [...signed.filter(isExplained), ...signed.filter((one) => !isExplained(one))];
      return {
        violations: told.flatMap(({ id, kind, signature }) => {
          if (signature === null || signature.verdict === 'right') return [];
          const what = kind === 'token' ? 'token request' : 'estimate request';
          const why =
            signature.verdict === 'explained'
              ? signature.mistakes
                  .map((mistake) => `it ${mistake.statement} (${mistake.id}): ${mistake.advice}`)
                  .join(' And ')
              : 'no known mistake, nor a pair of them, explains it: is the key the right one, and are the values that are signed those that are sent?';
          const text = signature.signedText === null ? '' : ` Signed: ${signature.signedText}`;
          return [
            {
              exchange: id,
              expected: `the signature of ${signature.canonical}`,
              got: `the signature of this ${what} is wrong: ${why}${text}`,
            },
          ];
        }),
        judged: signed.map(({ id }) => id),
        held: 'each signature is right',
        missing: 'a signature that could be checked was not sent',
      };
    },
  },
];
