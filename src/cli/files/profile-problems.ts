import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { TargetProfile } from '../../interface/index.ts';

/** What is wrong with a field of a profile, in words. */
export interface ProfileProblem {
  readonly path: (string | number)[];
  readonly message: string;
}

/** What no request could be made of, though each field has its shape. */
export function profileProblems({
  baseUrl,
  control,
  headers,
  partners,
}: TargetProfile): ProfileProblem[] {
  return [
    ...addressProblems(baseUrl, ['baseUrl']),
    ...(control ? addressProblems(control.url, ['control', 'url']) : []),
    ...Object.entries(headers).flatMap(([name, value]) => headerProblems(name, value)),
    ...partners.flatMap(({ id, accessToken, authCodes }, at) => [
      ...textProblems(id, ['partners', at, 'id']),
      ...textProblems(accessToken ?? '', ['partners', at, 'accessToken']),
      ...authCodes.flatMap((code, place) =>
        authCodes.indexOf(code) === place
          ? []
          : [
              {
                path: ['partners', at, 'authCodes', place],
                message: 'stands there twice, and is good once',
              },
            ],
      ),
    ]),
  ];
}

function addressProblems(address: string, path: string[]): ProfileProblem[] {
  if (address === 'embedded') return [];
  const { username, password, search, hash } = new URL(address);
  if (username !== '' || password !== '') {
    const message = 'must hold no user and no password; send them as one of "headers"';
    return [{ path, message }];
  }
  return search === '' && hash === ''
    ? []
    : [{ path, message: 'must end with its path, without ? and #' }];
}

function headerProblems(name: string, value: string): ProfileProblem[] {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [];
  } catch {
    const message = 'cannot be sent as a header: it holds a character that none may hold';
    return [{ path: ['headers', name], message }];
  }
}

/** What goes into a header has to be visible ASCII, or both sides would read it differently. */
function textProblems(text: string, path: (string | number)[]): ProfileProblem[] {
  return /^[\x21-\x7e]*$/.test(text)
    ? []
    : [{ path, message: 'must be visible ASCII, as it is sent in a header' }];
}
