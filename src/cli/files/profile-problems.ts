import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { TargetProfile } from '../../interface/index.ts';

/** A problem with a field of a profile. */
export interface ProfileProblem {
  readonly path: (string | number)[];
  readonly message: string;
}

/** Finds fields that are well formed but cannot be used in a request. */
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
                message: 'is listed twice, but works only once',
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
    const message = 'must not contain a user or password; send them as one of "headers"';
    return [{ path, message }];
  }
  return search === '' && hash === ''
    ? []
    : [{ path, message: 'must end with its path, without ? or #' }];
}

function headerProblems(name: string, value: string): ProfileProblem[] {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [];
  } catch {
    const message = 'cannot be sent as a header: it contains a forbidden character';
    return [{ path: ['headers', name], message }];
  }
}

/** Header values must be visible ASCII; otherwise client and server would read them differently. */
function textProblems(text: string, path: (string | number)[]): ProfileProblem[] {
  return /^[\x21-\x7e]*$/.test(text)
    ? []
    : [{ path, message: 'must be visible ASCII, because it is sent in a header' }];
}
