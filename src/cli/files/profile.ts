import { validateHeaderName, validateHeaderValue } from 'node:http';
import { dirname, resolve } from 'node:path';
import { type TargetProfile, targetProfileSchema } from '../../interface/index.ts';
import type { Io } from '../io.ts';
import { type CertificateField, certificateProblems, type ProfileProblem } from './certificates.ts';
import { readTextFile } from './text.ts';
import { readYamlFile } from './yaml.ts';

/**
 * Reads a target profile; certificate paths become absolute. Checks that certificates are readable
 * and fit their keys, and that header values can be sent.
 *
 * @throws ConfigurationError as {@link readYamlFile}
 */
export async function readProfileFile(
  path: string,
  io: Pick<Io, 'cwd' | 'env'>,
): Promise<TargetProfile> {
  const folder = dirname(resolve(io.cwd, path));
  const shape = targetProfileSchema.superRefine((profile, context) => {
    for (const problem of [...profileProblems(profile), ...certificateProblems(profile, folder)])
      context.addIssue({ code: 'custom', ...problem });
  });
  const profile = await readYamlFile(path, shape, io);
  const absolute = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(folder, file);
  return {
    ...profile,
    ca: absolute(profile.ca),
    cert: absolute(profile.cert),
    key: absolute(profile.key),
  };
}

/**
 * Reads the PEM files that a profile names.
 *
 * @throws ConfigurationError `FILE_NOT_READ` or `INPUT_NOT_UTF8`
 */
export async function readTlsTexts(
  { ca, cert, key }: Pick<TargetProfile, CertificateField>,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<Partial<Record<CertificateField, string | undefined>>> {
  const read = async (path: string | undefined): Promise<string | undefined> =>
    path === undefined ? undefined : readTextFile(path, cwd);
  return { ca: await read(ca), cert: await read(cert), key: await read(key) };
}

/** Finds fields that are well formed but cannot be used in a request. */
function profileProblems({ baseUrl, control, headers, partners }: TargetProfile): ProfileProblem[] {
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
