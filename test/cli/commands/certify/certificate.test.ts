import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { deliver } from '../../../../src/cli/commands/certify/deliver.ts';
import { certifyClient } from '../../../../src/conformance/client/certify-client.ts';
import { sampleRunner } from '../../../../src/conformance/client/selfcheck/judge-sample.ts';
import {
  type Certificate,
  type Certification,
  issueCertificate,
  type Orders,
} from '../../../../src/conformance/index.ts';
import { CLIENT_RULES } from '../../../../src/interface/index.ts';
import { oneByOne, SCENARIOS, sleepingWorld } from '../../../conformance/client/reference.ts';
import { capturedIo, runCaptured } from '../../../support/captured-io.ts';
import { temporaryFolderOfFile } from '../../../support/temporary-folder.ts';

const folder = temporaryFolderOfFile();
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const open = file('public.pem', publicKey.export({ type: 'spki', format: 'pem' }).toString());

/** Certifies the sample client, which breaks no rule. */
function certified(orders: Orders, scenarios = SCENARIOS): Promise<Certification> {
  const world = sleepingWorld();
  const runClient = oneByOne(sampleRunner({}, world, 3));
  const given = { name: 'run client', seed: 7, concurrency: 1 };
  return certifyClient({ ...world, ...given, scenarios, runClient, orders });
}

/** Delivers a certification into a folder of its own. */
async function delivered(name: string, certification: Certification, flags = {}) {
  const out = join(folder, name);
  const { io, captured } = capturedIo({ cwd: folder });
  let exitCode = 0;
  const exit = (code: number): void => {
    exitCode = code;
  };
  await deliver(
    out,
    certification,
    { scenario: [], command: [], signKey: secret, ...flags },
    { ...io, exit },
  );
  const certificate = join(out, 'certificate.json');
  const { stdout: shown, stderr: notes } = captured;
  return { exitCode, certificate, isIssued: existsSync(certificate), shown, notes };
}

const verify = (path: string, ...args: string[]) =>
  runCaptured(['certify', '--verify', path, ...args], { cwd: folder });

describe('a whole, conformant certification', () => {
  let certificate = '';
  let notes = '';
  beforeAll(async () => {
    const names = { clientName: 'shop-app', clientVersion: '2.1', partner: 'Acme' };
    ({ certificate, notes } = await delivered('whole', await certified('yes'), names));
  });

  it('brings a certificate that says what was certified, by whom and when', async () => {
    const { exitCode, stdout } = await verify(certificate, '--public-key', open);
    const { issuedAt, publicKey: issuer } = JSON.parse(
      readFileSync(certificate, 'utf8'),
    ) as Certificate;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^VALID .*signed by the owner of this key, conformant$/m);
    expect(stdout).toMatch(/^client +shop-app 2\.1$/m);
    expect(stdout).toMatch(/^partner +Acme$/m);
    expect(stdout).toMatch(/^verdict +conformant$/m);
    expect(stdout).toMatch(/^scope +35 client rules of fareproof \d+\.\d+\.\d+; 20 scenarios$/m);
    expect(stdout).toContain(issuer);
    expect(stdout).toMatch(/^fingerprint +SHA-256 [0-9a-fA-F:]{64,95}$/m);
    expect(stdout).toContain(issuedAt);
  });

  it('says where it is, and shows on its page whose it is', () => {
    expect(notes).toMatch(/^certificate: whole\/certificate\.json$/m);
    const page = readFileSync(join(folder, 'whole/certificate.html'), 'utf8');
    for (const [name, text] of [
      ['Client', 'shop-app'],
      ['Version', '2.1'],
      ['Partner', 'Acme'],
    ])
      expect(page).toContain(`<dt>${name}</dt><dd>${text}</dd>`);
  });

  it('says the same as JSON', async () => {
    const { exitCode, stdout } = await verify(certificate, '--public-key', open, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      valid: true,
      state: 'authentic',
      problems: [],
      verdict: 'conformant',
      scope: { rules: CLIENT_RULES.length, excluded: [] },
      client: { name: 'shop-app', version: '2.1', partner: 'Acme' },
      sameCatalogue: true,
    });
  });

  it('is not valid without the key of its issuer, or altered', async () => {
    const keyless = await verify(certificate);
    expect(keyless.exitCode).toBe(1);
    expect(keyless.stdout).toMatch(/^NOT VALID$[\s\S]*intact, not authentic/m);
    const text = readFileSync(certificate, 'utf8').replace('"shop-app"', '"other-app"');
    const altered = await verify(file('altered.json', text), '--public-key', open);
    expect(altered.exitCode).toBe(1);
    expect(altered.stdout).toContain('altered');
    expect(altered.stdout).not.toContain('other-app');
  });

  it.each([
    [
      'a key twice',
      (text: string) => text.replace('"document": {', '"kind": "x", "document": {'),
      'the key "kind" stands twice',
    ],
    [
      'a key twice deep inside, escaped',
      (text: string) =>
        text.replace('"verdict": "pass"', String.raw`"verd\u0069ct": "fail", "verdict": "pass"`),
      'the key "verdict" stands twice',
    ],
    [
      'another number',
      (text: string) => text.replace('"seed": 7', '"seed": 7.00000000000000001'),
      '7.00000000000000001',
    ],
    ['a byte order mark', (text: string) => `\uFEFF${text}`, 'a byte order mark'],
  ])('is refused with %s', async (_case, change, problem) => {
    const text = readFileSync(certificate, 'utf8');
    const path = file('ambiguous.json', change(text));
    expect(change(text)).not.toBe(text);
    const { exitCode, stdout, stderr } = await verify(path, '--public-key', open);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(problem);
  });

  it.each<[string, (document: Record<string, unknown>) => object, RegExp]>([
    ['of another verdict', () => ({ verdict: 'not-conformant' }), /verdict is not-conformant/],
    ['of an incomplete run', () => ({ complete: false }), /is not complete/],
    ['of an interrupted run', () => ({ interrupted: true }), /interrupted/],
    ['of listening', () => ({ scenarios: [] }), /only listened to/],
    ['of a service', () => ({ side: 'service' }), /judges a service/],
    [
      'of fewer rules',
      ({ rules }) => ({ rules: (rules as unknown[]).slice(1) }),
      /full catalogue of rules/,
    ],
    [
      'with a rule left out',
      ({ rules }) => ({
        rules: (rules as object[]).map((rule, at) =>
          at === 0 ? { ...rule, verdict: 'excluded' } : rule,
        ),
      }),
      /not judged: client\/path-version/,
    ],
    [
      'with an undecided scenario',
      ({ scenarios }) => ({
        scenarios: (scenarios as object[]).map((one, at) =>
          at === 0 ? { ...one, verdict: 'inconclusive' } : one,
        ),
      }),
      /scenarios without a verdict/,
    ],
    ['of no run document', () => ({ kind: 'x' }), /no run document/],
  ])('does not make a signed document %s valid', async (_case, change, problem) => {
    const { document, issuedAt } = JSON.parse(readFileSync(certificate, 'utf8')) as Certificate;
    const other = issueCertificate({ ...document, ...change({ ...document }) }, issuedAt, secret);
    const path = file('other.json', JSON.stringify(other));
    const { exitCode, stdout } = await verify(path, '--public-key', open);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(problem);
  });
});

describe('a certification', () => {
  it('of a client that orders for nobody brings a certificate, with that exclusion', {
    tags: ['long'],
  }, async () => {
    const { certificate, exitCode } = await delivered('no-orders', await certified('no'));
    expect(exitCode).toBe(0);
    const { stdout, ...verified } = await verify(certificate, '--public-key', open);
    expect(verified.exitCode).toBe(0);
    expect(stdout).toContain('without client/scope-on-behalf');
  });

  it('without --orders brings none, and says what is missing', { tags: ['long'] }, async () => {
    const { isIssued, exitCode, shown } = await delivered('undeclared', await certified(null));
    expect([isIssued, exitCode]).toEqual([false, 3]);
    expect(shown).toMatch(/No certificate: not judged: client\/scope-on-behalf; set orders to yes/);
  });

  it('of some scenarios brings none, and removes that of an earlier run', {
    tags: ['long'],
  }, async () => {
    const whole = await delivered('again', await certified('yes'));
    expect([whole.isIssued, whole.exitCode]).toEqual([true, 0]);
    const some = await certified('yes', SCENARIOS.slice(0, 1));
    const flags = { scenario: [SCENARIOS[0]!.name] };
    const { isIssued, exitCode, shown } = await delivered('again', some, flags);
    expect([isIssued, exitCode]).toEqual([false, 3]);
    expect(shown).toContain('No certificate: it needs every scenario; run all of them');
    const keyless = await delivered('keyless', some, { ...flags, signKey: null });
    expect([keyless.isIssued, keyless.exitCode]).toEqual([false, 0]);
  });

  it('without a key brings an unsigned certificate, which is not valid', {
    tags: ['long'],
  }, async () => {
    const unsigned = await delivered('unsigned', await certified('yes'), { signKey: null });
    expect([unsigned.isIssued, unsigned.exitCode]).toEqual([true, 0]);
    expect(unsigned.notes).toContain('certificate: ');
    const page = readFileSync(join(folder, 'unsigned/certificate.html'), 'utf8');
    expect(page).toContain('UNSIGNED');
    const { exitCode, stdout } = await verify(unsigned.certificate, '--public-key', open);
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('unsigned')]);
    expect(stdout).not.toContain('fingerprint');
  });
});
