import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { checkService, FULL_SUITE } from '../../src/conformance/index.ts';
import type { TargetProfile } from '../../src/interface/index.ts';
import { ALLOWANCE_PER_DAY } from '../../src/interface/limits.ts';
import { runLoad, systemClock } from '../../src/load/index.ts';
import { type LedgerSource, openLedger } from '../../src/spending/index.ts';
import { SERVICE_SHAPES } from '../independent-service/estimates.ts';
import { RUN } from '../independent-service/judge.ts';
import { runClock } from '../independent-service/run-clock.ts';
import { OutsideService } from '../independent-service/service.ts';
import { STYLES } from '../independent-service/style.ts';
import { compiledPackage } from '../support/compiled.ts';
import { lockWorld } from '../support/lock-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const compiled = compiledPackage();
const LIBRARY_RUNS = fileURLToPath(new URL('./library-runs.mjs', import.meta.url));

/** 20 by hand: FAREPROOF_RUNS=20 npx vitest run test/spending/every-door.test.ts */
const RUNS = Number(process.env['FAREPROOF_RUNS'] ?? 3);

async function meteredService(
  clock = runClock(),
): Promise<{ service: OutsideService; profile: TargetProfile }> {
  const service = await new OutsideService(STYLES[0]!, [], 'production', clock).start();
  onTestFinished(() => service.stop());
  const authCodes = Array.from({ length: 9 }, (_, at) => `code-${at}`);
  const { id, key } = service.addPartner('partner-0', authCodes);
  const { baseUrl, style } = service;
  const profile: TargetProfile = {
    name: 'outside',
    baseUrl,
    environment: 'production',
    partners: [{ id, signingKey: key, use: 'general', authCodes }],
    signature: { tokenFields: style.tokenFields, estimateFields: 'all' },
    estimates: SERVICE_SHAPES,
    headers: {},
  };
  return { service, profile };
}

it(`${RUNS} runs of library and matchers in each of two processes ban nobody`, {
  tags: ['long'],
  timeout: RUNS * 120_000,
}, async () => {
  // The processes have the clock of the machine.
  const { service, profile } = await meteredService(runClock(Date.now));
  const folder = temporaryFolder();
  const file = join(folder, 'profile.json');
  writeFileSync(file, JSON.stringify(profile));
  const run = async (): Promise<Record<string, number>> => {
    const args = [LIBRARY_RUNS, compiled.path(''), file, String(RUNS)];
    const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    return JSON.parse(await text(child.stdout)) as Record<string, number>;
  };
  const ended = await Promise.all([run(), run()]);
  expect(service.bans).toEqual([]);
  expect(service.counted.get('partner-0')).toBeLessThanOrEqual(25);
  // Something ran, and later runs ended for want of allowance, not for the service's answers.
  const codes = new Set(ended.flatMap(Object.keys));
  expect(codes).toContain('ok');
  expect(codes).toContain('ALLOWANCE_USED_UP');
  expect(codes).not.toContain('TOKEN_REFUSED');
  expect(codes).not.toContain('ERR_ASSERTION');
});

it('no spelling of the address has an allowance of its own', async () => {
  const { service, profile } = await meteredService();
  const path = join(temporaryFolder(), 'ledger.jsonl');
  const ledger: LedgerSource = { open: () => openLedger(path, lockWorld({ wall: RUN.clock.now })) };
  const spent = await ledger.open();
  for (let at = 0; at < ALLOWANCE_PER_DAY.platform; at++)
    spent.spend(service.baseUrl, 'partner-0', ['platform', 'user', 'refresh'], RUN.clock.now());
  spent.close();
  const { port, pathname } = new URL(service.baseUrl);
  const spellings = [
    `http://127.0.0.1:${port}${pathname}`,
    `http://localhost:${port}${pathname}`,
    `http://LOCALHOST:${port}${pathname}/`,
    `http://127.1:${port}${pathname}`,
    `http://[::ffff:127.0.0.1]:${port}${pathname}`,
    `http://localhost.:${port}${pathname}`,
    `http://127.0.0.1:${port}/${pathname}`,
    `http://127.0.0.1:${port}/x/..${pathname}//`,
  ];
  for (const baseUrl of spellings) {
    const target = { ...profile, baseUrl };
    const { rules } = await checkService({ ...RUN, ledger, target, suite: FULL_SUITE });
    expect(rules.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    const clock = { ...systemClock(), now: RUN.clock.now };
    const loading = runLoad({
      profile: target,
      ledger,
      clock,
      seed: 1,
      // Not each of these spellings is taken for loopback.
      iMayLoadThisTarget: true,
    });
    await expect(loading).rejects.toMatchObject({ code: 'ALLOWANCE_USED_UP' });
  }
  expect(service.bodies).toEqual([]);
});
