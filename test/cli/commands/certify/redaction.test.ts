import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deliver } from '../../../../src/cli/commands/certify/deliver.ts';
import { certifyClient } from '../../../../src/conformance/client/certify-client.ts';
import type { RunClient } from '../../../../src/conformance/client/scenario/run-scenario.ts';
import { sampleRunner } from '../../../../src/conformance/client/selfcheck/judge-sample.ts';
import type { Quirks } from '../../../../src/conformance/client/selfcheck/sample-requests.ts';
import { SCENARIOS, sleepingWorld } from '../../../conformance/client/reference.ts';
import { capturedIo } from '../../../support/captured-io.ts';
import { partsOf, SHOWN, shownIn, spelledIn } from '../../../support/leaks.ts';
import fc from '../../../support/property.ts';
import { EVERY_SPELLING } from '../../../support/spellings.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

type Spell = (text: string) => string;

const spelling = fc.constantFrom<Spell>(...EVERY_SPELLING);

const { privateKey } = generateKeyPairSync('ed25519');
const signKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
/** The key itself: what comes before it is the same in every key. */
const SIGN_SECRET = privateKey.export({ format: 'jwk' }).d ?? '';

/**
 * Quirks of a client that sends its secrets where it may send any text.
 *
 * @param secrets all that it has learnt; it adds to them
 */
function chatty(secrets: Set<string>, spell: Spell): Quirks {
  const learn = (...texts: unknown[]): void => {
    for (const text of texts) {
      if (typeof text === 'string' && text.length >= SHOWN) secrets.add(text);
    }
  };
  return {
    accepts: ({ status, text }) => {
      if (status !== 200) return false;
      const fields = JSON.parse(text) as Record<string, unknown>;
      learn(fields['access_token'], fields['refresh_token']);
      return true;
    },
    tokenAuthorization: (id, signature) => {
      learn(signature);
      return `Bearer ${id}|${signature}`;
    },
    estimateAuthorization: (header) => {
      learn(/\|(\S+) openid/.exec(header)?.[1]);
      return header;
    },
    query: (query) => ({ ...query, to_name: [...secrets].slice(-6).map(spell).join(' ') || 'b' }),
  };
}

/** Certifies such a client in all scenarios; each run of it ends with a list of its secrets. */
async function certified(secrets: Set<string>, spell: Spell, isRight: boolean) {
  const world = sleepingWorld();
  // A client that sends its key as a text gets no certificate.
  const { query: _, ...silent } = chatty(secrets, spell);
  const quirks = isRight ? silent : { ...chatty(secrets, spell), prefix: '/v2' };
  const runSample = sampleRunner(quirks, world, 3);
  let turn: Promise<unknown> = Promise.resolve();
  const runClient: RunClient = async (environment, ...rest) => {
    secrets.add(environment.FAREPROOF_SIGNING_KEY).add(environment.FAREPROOF_AUTH_CODE);
    // Each sleeper moves the clock that all read: processes of one scenario run one after the other.
    const run = turn.then(async () => runSample(environment, ...rest));
    turn = run.catch(() => undefined);
    const end = await run;
    return { ...end, output: [{ stream: 'stdout', text: [...secrets].map(spell).join('\n') }] };
  };
  const given = { name: 'run client', seed: 7, concurrency: 1, orders: 'yes' } as const;
  return certifyClient({ ...world, ...given, scenarios: SCENARIOS, runClient });
}

async function expectNothingShown(spell: Spell, isRight: boolean): Promise<void> {
  const secrets = new Set<string>();
  const certification = await certified(secrets, spell, isRight);
  expect(secrets.size).toBeGreaterThan(isRight ? 60 : 25);
  const out = temporaryFolder();
  const { io, captured } = capturedIo({ cwd: out });
  const flags = { scenario: [], command: ['run', 'client'], orders: 'yes', signKey } as const;
  await deliver(out, certification, flags, io);

  const names = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(out.length + 1));
  const files = names.map((name) => [name, readFileSync(join(out, name), 'utf8')] as const);
  const certificates = isRight ? ['certificate.html', 'certificate.json'] : [];
  const logs = SCENARIOS.map(({ name }) => `clients/${name}.log`);
  const reports = ['junit.xml', 'report.html', 'run.json', 'summary.md'];
  expect(names.sort()).toEqual([...certificates, ...logs, ...reports].sort());

  const parts = partsOf([...secrets, SIGN_SECRET]);
  for (const [name, text] of [...files, ['terminal', captured.stdout + captured.stderr]] as const) {
    expect([name, shownIn(text, parts)]).toEqual([name, []]);
    if (name.endsWith('.json')) expect(spelledIn(text, secrets, [spell])).toEqual([]);
  }
}

it.each(fc.sample(spelling, { numRuns: 1, seed: 3 }))(
  'no file shows 8 characters of a secret that a client sends or writes (%#)',
  (spell) => expectNothingShown(spell, false),
);

describe('in other spellings', { tags: ['long'] }, () => {
  it.each(EVERY_SPELLING)('of a client that fails (%#)', (spell) =>
    expectNothingShown(spell, false),
  );

  it.each(fc.sample(spelling, { numRuns: 3, seed: 4 }))(
    'of a client that gets a certificate (%#)',
    (spell) => expectNothingShown(spell, true),
  );
});
