import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { readSuite } from '../../../src/app/check/rule-files.ts';
import { readProfileFile } from '../../../src/app/files/profile.ts';
import { schemaLine } from '../../../src/app/init/schema-line.ts';
import { KnownSecrets } from '../../../src/app/known-secrets.ts';
import { describeJsonSchemas } from '../../../src/documents/json-schemas.ts';
import { SERVICE_RULES } from '../../../src/interface/catalogue.ts';
import { runCaptured } from '../../support/captured-io.ts';
import { LOOPBACK_TLS } from '../../support/loopback-certificate.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const secrets = new KnownSecrets();

const IDS = SERVICE_RULES.map(({ id }) => id);
const env = { P100_KEY: 'k1', P200_KEY: 'k2', P100_TOKEN: 't', CONTROL_TOKEN: 'c' };

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

/** A file of `init` with every option set. */
async function withAllOptions(name: string, rename = (text: string) => text): Promise<string> {
  const text = await readFile(join(cwd, name), 'utf8');
  const full = join(cwd, `full-${name}`);
  await writeFile(full, rename(text).replace(/^( *)#(?=[^ #\n])/gm, '$1'));
  return full;
}

describe('fareproof init', () => {
  it('writes a profile and a suite that check can read', async () => {
    const { exitCode, stdout } = await runCaptured(['init'], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('fareproof check --target target.yaml --suite suite.yaml');
    const profile = await readProfileFile('target.yaml', { cwd, env, secrets });
    expect(profile.partners).toMatchObject([{ id: 'p-100', signingKey: 'k1', use: 'general' }]);
    const suite = await readSuite('suite.yaml', IDS, { cwd, env });
    expect(suite).toMatchObject({ rules: { include: ['*'], exclude: [] }, requireComplete: false });
  });

  it('has every field of a profile, and each option is valid as written', async () => {
    await runCaptured(['init'], { cwd });
    for (const file of ['ca.pem', 'client.pem'])
      await writeFile(join(cwd, file), LOOPBACK_TLS.cert);
    await writeFile(join(cwd, 'client-key.pem'), LOOPBACK_TLS.key);
    // Written twice, in both forms.
    const file = await withAllOptions('target.yaml', (text) => text.replace(/^ +#tokenF.*$/m, ''));
    const profile = await readProfileFile(file, { cwd, env, secrets });
    const schema = describeJsonSchemas()['target-profile.json'] as {
      properties: Record<string, { properties?: object; items?: { properties: object } }>;
    };
    const { properties } = schema;
    expect(Object.keys(profile).sort()).toEqual(Object.keys(properties).sort());
    expect(Object.keys(profile.partners[0]!).sort()).toEqual(
      Object.keys(properties['partners']!.items!.properties).sort(),
    );
    for (const part of ['signature', 'estimates', 'control'] as const) {
      expect(Object.keys(profile[part]!).sort()).toEqual(
        Object.keys(properties[part]!.properties!).sort(),
      );
    }
  });

  it('has every field of a suite, and each option is valid as written', async () => {
    await runCaptured(['init'], { cwd });
    const file = await withAllOptions('suite.yaml', (text) => text.replace('  exclude: []\n', ''));
    const suite = await readSuite(file, IDS, { cwd, env });
    expect(Object.keys(suite).sort()).toEqual(
      ['name', 'description', 'rules', 'requireComplete', 'environment', 'tokenRequests'].sort(),
    );
  });

  it('begins each file with the schema that the package has for it', async () => {
    await runCaptured(['init', '--dir', 'a'], { cwd });
    for (const [file, schema] of [
      ['target.yaml', 'target-profile'],
      ['suite.yaml', 'suite'],
    ] as const) {
      const [line = ''] = (await readFile(join(cwd, 'a', file), 'utf8')).split('\n');
      const schemaAt = /^# yaml-language-server: \$schema=(\S+)$/.exec(line)?.[1] ?? '';
      const path = schemaAt.startsWith('file:')
        ? fileURLToPath(schemaAt)
        : resolve(cwd, 'a', schemaAt);
      const { $id } = JSON.parse(await readFile(path, 'utf8')) as { $id: string };
      expect($id).toBe(`urn:fareproof:schema:${schema}`);
    }
  });

  it('names it by its address where its path has a space', () => {
    const line = schemaLine('suite', join(cwd, 'a'), join(cwd, 'a package', 'schemas'));
    expect(line).toMatch(
      /^# yaml-language-server: \$schema=file:\S+\/a%20package\/schemas\/suite\.json\n$/,
    );
    const plain = schemaLine('suite', join(cwd, 'a'), join(cwd, 'package', 'schemas'));
    expect(plain).toBe('# yaml-language-server: $schema=../package/schemas/suite.json\n');
  });

  it('names the schema of the package that is installed', async () => {
    await mkdir(join(cwd, 'node_modules/fareproof/schemas'), { recursive: true });
    await runCaptured(['init', '--dir', 'a/b'], { cwd });
    expect(await readFile(join(cwd, 'a/b/suite.yaml'), 'utf8')).toContain(
      '$schema=../../node_modules/fareproof/schemas/suite.json\n',
    );
  });

  it('overwrites nothing without --force', async () => {
    await writeFile(join(cwd, 'suite.yaml'), 'mine');
    const refused = await runCaptured(['init'], { cwd });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('error FILE_EXISTS: suite.yaml: already exists');
    expect(await readdir(cwd)).toEqual(['suite.yaml']);
    expect(await readFile(join(cwd, 'suite.yaml'), 'utf8')).toBe('mine');
    expect((await runCaptured(['init', '--force'], { cwd })).exitCode).toBe(0);
    expect(await readFile(join(cwd, 'suite.yaml'), 'utf8')).toContain('name: my-suite');
  });

  it('--dir creates the folder, or reports an error', async () => {
    const { exitCode, stdout } = await runCaptured(['init', '--dir', 'a/b'], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('wrote a/b/target.yaml');
    await writeFile(join(cwd, 'file'), '');
    const refused = await runCaptured(['init', '--dir', 'file/x'], { cwd });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('error FOLDER_NOT_WRITABLE');
  });
});
