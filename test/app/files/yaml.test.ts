import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readProfileFile } from '../../../src/app/files/profile.ts';
import { KnownSecrets } from '../../../src/app/known-secrets.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const secrets = new KnownSecrets();

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

async function read(text: string, env: Record<string, string> = {}) {
  await writeFile(join(folder, 'profile.yaml'), text);
  return readProfileFile('profile.yaml', { cwd: folder, env, secrets });
}

it.each([
  ['as the name of a field', (secret: string) => `name: a\nbaseUrl: embedded\n${secret}: k`],
  [
    'as the name of a field of a partner',
    (secret: string) => `name: a\nbaseUrl: embedded\npartners:\n  - { id: p, ${secret}: k }`,
  ],
  [
    'as the name of a variable',
    (secret: string) =>
      `name: a\nbaseUrl: embedded\npartners:\n  - { id: p, signingKey: \${${secret}} }`,
  ],
])('quotes no secret that was written %s', async (_, content) => {
  for (const secret of ['k3yRt8vB2Kd8Yb2', 'wrongsecretkey', 'SUAKd8Yb2Lc']) {
    await writeFile(join(folder, 'profile.yaml'), content(secret));
    const message = await readProfileFile('profile.yaml', { cwd: folder, env: {}, secrets }).then(
      () => 'read',
      (error: unknown) => (error as Error).message,
    );
    expect(message).toMatch(/^profile\.yaml:\d: /);
    expect(message).not.toContain(secret);
  }
});

describe('a target profile', () => {
  it('may contain an environment variable inside a flow mapping', async () => {
    const text =
      "name: a\nbaseUrl: embedded\ncontrol: { url: http://127.0.0.1:1, token: ${TOKEN} }\nheaders: { a: 'x${TOKEN}y' }\n";
    const profile = await read(text, { TOKEN: '{"t": 1}' });
    expect(profile).toMatchObject({ control: { token: '{"t": 1}' }, headers: { a: 'x{"t": 1}y' } });
    await expect(read(text)).rejects.toThrow('profile.yaml:3: control.token: the environment');
  });

  it('is read with its defaults, its environment and absolute paths', async () => {
    await writeFile(join(folder, 'ca.pem'), LOOPBACK_TLS.cert);
    const profile = await read(
      `name: staging
baseUrl: https://example.test/rides/
ca: ./ca.pem
partners:
  - id: p-100
    signingKey: \${P100_KEY}
estimates:
  plain: { product_type: private-car, ride_type: compact, start_lat: 39.9 }
`,
      { P100_KEY: 'k' },
    );
    expect(profile).toMatchObject({
      baseUrl: 'https://example.test/rides',
      environment: 'production',
      signature: { tokenFields: 'all', estimateFields: 'all' },
      ca: join(folder, 'ca.pem'),
      partners: [{ id: 'p-100', signingKey: 'k', use: 'general', authCodes: [] }],
      estimates: { plain: { start_lat: '39.9' } },
    });
  });

  it.each([
    ['name: [', 'YAML_BROKEN', 'profile.yaml:'],
    [
      'name: a\nbaseUrl: ftp://x',
      'FILE_SHAPE',
      'profile.yaml:2: baseUrl: Invalid input: expected "embedded", or must be an http or https URL',
    ],
    [
      'name: a\nbaseUrl: embedded\nparners: []',
      'FILE_SHAPE',
      'profile.yaml:3: parners: unknown key "parners"; did you mean partners?',
    ],
    [
      'name: a\nbaseUrl: embedded\npartners:\n  - { id: p, signingkey: k, signingKey: k }',
      'FILE_SHAPE',
      'profile.yaml:4: partners[0].signingkey: unknown key "signingkey"; did you mean signingKey?',
    ],
    [
      'name: a\nbaseUrl: embedded\nxyzzy: []',
      'FILE_SHAPE',
      'profile.yaml:3: unknown key; known are ',
    ],
    [
      'name: a\nbaseUrl: embedded\npartners:\n  - id: a|b\n    signingKey: k',
      'FILE_SHAPE',
      'profile.yaml:4: partners[0].id: must hold no |',
    ],
    [
      'name: a\nbaseUrl: embedded\npartners:\n  - id: p\n    signingKey: ${NO_SUCH}',
      'ENVIRONMENT_MISSING',
      'profile.yaml:5: partners[0].signingKey: the environment variable NO_SUCH is not set',
    ],
    [
      'name: a\nbaseUrl: nonsense',
      'FILE_SHAPE',
      'profile.yaml:2: baseUrl: Invalid input: expected "embedded", or must be an http or https URL',
    ],
    [
      'name: a\nbaseUrl: http://u:p@127.0.0.1:1',
      'FILE_SHAPE',
      'profile.yaml:2: baseUrl: must not contain a user or password',
    ],
    [
      'name: a\nbaseUrl: http://127.0.0.1:1/?a=b',
      'FILE_SHAPE',
      'profile.yaml:2: baseUrl: must end with its path',
    ],
    [
      'name: a\nbaseUrl: embedded\nheaders:\n  x-gate: "a\\nb"',
      'FILE_SHAPE',
      'profile.yaml:4: headers.x-gate: cannot be sent as a header',
    ],
    [
      'name: a\nbaseUrl: embedded\npartners:\n  - id: é\n    signingKey: k',
      'FILE_SHAPE',
      'profile.yaml:4: partners[0].id: must be visible ASCII',
    ],
    [
      'name: a\nbaseUrl: embedded\npartners:\n  - id: p\n    signingKey: k\n    authCodes: [a, b, a]',
      'FILE_SHAPE',
      'profile.yaml:6: partners[0].authCodes[2]: is listed twice',
    ],
    ['baseUrl: embedded', 'FILE_SHAPE', 'profile.yaml:1: name: is missing'],
    ['name: a', 'FILE_SHAPE', 'profile.yaml:1: baseUrl: is missing'],
    [
      'name: a\nbaseUrl: embedded\npartners:\n  - id: p',
      'FILE_SHAPE',
      'profile.yaml:4: partners[0].signingKey: is missing',
    ],
    ['', 'FILE_SHAPE', 'profile.yaml:1: the whole file: '],
    ['name: a\npartners:\n\t- id: p', 'YAML_BROKEN', 'profile.yaml:3: Tabs are not allowed'],
  ])('names file, line and field: %j', async (text, code, message) => {
    await expect(read(text)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  it.each([
    'root:*:20228:0:99999\ns3cret:*:20228:0',
    '{ "s3cret": "s3cret", "auths": { "s3cret": "s3cret" } }',
    's3cret',
    '- s3cret',
    'a: *s3cret',
    'a: !s3cret b',
    'a: "\\s3cret"',
    '"s3cret": [s3cret',
    'a: b: s3cret',
    's3cret: 1\ns3cret: 2',
    '<s3cret><s3cret/>',
    's3cret=s3cret\n# s3cret: s3cret',
    '-----BEGIN PRIVATE KEY-----\ns3cret: s3cret',
    'name: a\nbaseUrl: embedded\n"s3cret of mine": s3cret',
  ])('shows nothing of a file of another kind: %j', async (text) => {
    const error = (await read(text).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({
      code: expect.stringMatching(/^(YAML_BROKEN|FILE_SHAPE)$/) as string,
    });
    expect(error.message).not.toContain('s3cret');
  });

  it('is not read without an end', async () => {
    await expect(
      readProfileFile('/dev/zero', { cwd: folder, env: {}, secrets }),
    ).rejects.toMatchObject({
      code: 'INPUT_TOO_LONG',
    });
  });

  it('reports a missing file', async () => {
    await expect(
      readProfileFile('none.yaml', { cwd: folder, env: {}, secrets }),
    ).rejects.toMatchObject({
      code: 'FILE_NOT_READ',
      message: 'none.yaml: there is no such file.',
    });
  });
});
