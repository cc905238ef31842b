import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { behaviourFile } from '../../../src/app/check/behaviour.ts';
import { readYamlFile } from '../../../src/app/files/yaml.ts';
import {
  checkService,
  observedBehaviour,
  type ServiceResult,
} from '../../../src/conformance/index.ts';
import { type BehaviourInput, behaviourSchema } from '../../../src/interface/behaviour-schema.ts';
import { DEFAULT_BEHAVIOUR } from '../../../src/interface/default-behaviour.ts';
import { DEFAULT_ERROR_STATUS, ERROR_CONDITIONS } from '../../../src/interface/error-conditions.ts';
import { GAPS } from '../../../src/interface/gaps.ts';
import { RUN } from '../../independent-service/judge.ts';
import { embeddedPair } from '../../independent-service/world.ts';
import { runCaptured } from '../../support/captured-io.ts';
import { temporaryFolderOfFile } from '../../support/temporary-folder.ts';

const TOKEN_FIELDS = ['grant_type', 'scope', '_', 'nostr', 'refresh_token', 'auth_code'];

/** Each gap has a setting other than its default in at least one of these. */
const BEHAVIOURS: Readonly<Record<string, BehaviourInput>> = {
  strict: {
    'signed-fields-token': TOKEN_FIELDS,
    'signed-fields-estimate': ['start_lat', 'start_lng', 'end_lat', 'end_lng', 'to_name'],
    'estimate-signed-decoded-or-encoded': 'encoded',
    'timestamp-without-offset': 'refused',
    'estimate-content-type-required': 'yes',
    'refused-request-extends-ban': 'yes',
    'signature-hex-case': 'lower',
    'timestamp-future': 'accepted',
    'nostr-replay': 'refused',
    'unknown-scope': 'granted',
    'failed-requests-count': 'yes',
    'day-boundary': 'rolling',
    'ban-reach': 'everything',
    'user-quota-reach': 'user',
    'refresh-replay-consequence': 'family-ended',
    'user-token-platform-header': 'refused',
    'error-status': Object.fromEntries(ERROR_CONDITIONS.map((name, at) => [name, 410 + at])),
    'error-body': 'text',
    'unknown-product-type': 'estimated',
    'unknown-ride-type': 'refused',
    'map-types': ['gcj02', 'wgs84'],
    'car-type-codes': [8, 7],
    'pay-type-codes': ['B', 'A'],
    'token-type-spelling': 'bear',
    'version-policy': 'any-version',
    'refresh-scope': { unnamed: 'public', wider: 'refused' },
    'auth-code-reuse': 'accepted',
    'departure-time-text': 'refused',
    'platform-token-after-refresh': 'ended',
    'newest-user-token-reach': 'partner',
    'token-content-type-required': 'yes',
  },
  loose: {
    'signed-booleans-and-objects': 'literal',
    'text-zero-signed': 'skipped',
    'slash-in-list': 'plain',
    'timestamp-future': 'refused',
    'unknown-scope': 'dropped',
    'ban-reach': 'tokens',
    'error-status': { banned: 500, 'signature-invalid': 302, 'no-estimate': 406 },
    'error-body': 'empty',
    'unknown-product-type': 'no-estimate',
    'unknown-ride-type': 'no-estimate',
    'no-estimate-answer': 'refused',
    'map-types': ['a-map-of-its-own'],
    'token-type-spelling': 'Bearer',
    'refresh-scope': { unnamed: 'kept', wider: 'kept' },
    'whitespace-trimmed': 'unicode',
    'null-and-empty-list-signed': 'lists',
  },
  silent: {
    'unknown-product-type': 'no-estimate',
    'day-boundary': 'rolling',
    'whitespace-trimmed': 'php',
    'null-and-empty-list-signed': 'both',
  },
};

/** Estimates a second. */
const LIMIT = 20;

async function observe(behaviour: BehaviourInput): Promise<ServiceResult> {
  const { companion: _, ...world } = await embeddedPair({ behaviour });
  return checkService({ ...RUN, requests: undefined, ...world, seed: 5 });
}

const seenIn = ({ gaps }: ServiceResult): unknown =>
  gaps.map(({ id, observed, note }) => ({
    id,
    value: observed?.value,
    words: observed?.words ?? note,
  }));

/**
 * Expected observation of a server with that behaviour; codes are a set, `soso` is always accepted.
 */
const SHOWN: Readonly<Record<string, unknown>> = {
  'map-types:strict': ['soso', 'wgs84', 'gcj02'],
  'map-types:loose': ['soso'],
  'car-type-codes:strict': [7, 8],
};

const folder = temporaryFolderOfFile();

describe.each(Object.entries(BEHAVIOURS))('a server of the behaviour %s', (name, behaviour) => {
  it('is observed correctly, and so is one started with the observed answers', {
    tags: ['long'],
    // Two whole checks.
    timeout: 300_000,
  }, async () => {
    const first = await observe(behaviour);
    for (const [id, setting] of Object.entries(behaviour)) {
      const seen = first.gaps.find((gap) => gap.id === id)?.observed?.value;
      if (id === 'error-status') {
        expect({ ...DEFAULT_ERROR_STATUS, ...(setting as object) }).toMatchObject(seen as object);
      } else expect([id, seen]).toEqual([id, SHOWN[`${id}:${name}`] ?? setting]);
    }
    const path = join(folder, `${name}.yaml`);
    await writeFile(path, behaviourFile(first.gaps, first.target.name));
    const saved = await readYamlFile(path, behaviourSchema, { cwd: folder, env: {} });
    expect(seenIn(await observe(saved))).toEqual(seenIn(first));
  });
});

describe('a server with a rate limit', () => {
  const perSecond = (result: ServiceResult): number => {
    const seen = result.gaps.find(({ id }) => id === 'estimate-rate-limit')?.observed?.value;
    return (seen as { perSecond: number }).perSecond;
  };

  it('is observed to have about that limit, and so is one started with the observed answers', {
    timeout: 120_000,
    tags: ['long'],
  }, async () => {
    const first = await observe({ 'estimate-rate-limit': { perSecond: LIMIT } });
    // The most within a second, in which two windows of the limit may touch.
    expect(Math.abs(perSecond(first) - LIMIT)).toBeLessThanOrEqual(4);
    const second = await observe(observedBehaviour(first.gaps));
    expect(Math.abs(perSecond(second) - perSecond(first))).toBeLessThanOrEqual(4);
    expect(second.rules.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });
});

describe('the file of observed answers', () => {
  it('has a setting other than the default for each gap above', () => {
    const told = new Set(Object.values(BEHAVIOURS).flatMap((one) => Object.keys(one)));
    for (const limit of ['estimate-rate-limit', 'token-rate-limit']) told.add(limit);
    for (const unseen of ['states-and-transitions', 'ride-and-user-endpoints', 'events'])
      told.add(unseen);
    expect(GAPS.map(({ id }) => id).filter((id) => !told.has(id))).toEqual([]);
    for (const behaviour of Object.values(BEHAVIOURS)) {
      for (const [id, value] of Object.entries(behaviour)) {
        if (id !== 'error-status') {
          expect([id, value]).not.toEqual([id, DEFAULT_BEHAVIOUR[id as keyof BehaviourInput]]);
        }
      }
    }
  });

  it('is written by check --save-behaviour, with a finding for each gap', {
    tags: ['long'],
  }, async () => {
    const run = await runCaptured(
      [
        'check',
        '--rule',
        'token/*',
        '--rule',
        'record/*',
        '--save-behaviour',
        'b.yaml',
        '--out',
        'run',
      ],
      { cwd: folder },
    );
    expect(run.stderr).toContain('behaviour: b.yaml');
    const text = await readFile(join(folder, 'b.yaml'), 'utf8');
    expect(text.match(/^# Seen: /gm)).toHaveLength(GAPS.length);
    expect(text).toContain('token-type-spelling: bearer');
    expect(text).toMatch(/^# day-boundary:$/m);
    const saved = await readYamlFile('b.yaml', behaviourSchema, { cwd: folder, env: {} });
    // Which cars are offered depends on the estimates that were asked for.
    const cars = saved['car-type-codes'];
    expect(DEFAULT_BEHAVIOUR['car-type-codes']).toEqual(expect.arrayContaining([...cars]));
    expect(saved).toEqual({
      ...DEFAULT_BEHAVIOUR,
      'error-status': saved['error-status'],
      'car-type-codes': cars,
    });
  });

  it('stays valid, whatever a target writes', async () => {
    const hostile = 'x\n\u2028nostr-replay: refused\r# ${HOME}\u0000';
    const gaps = GAPS.map(({ id, question }) => ({
      id,
      question,
      observed: { value: hostile, words: hostile, exchanges: [] },
    }));
    const path = join(folder, 'hostile.yaml');
    await writeFile(path, behaviourFile(gaps, hostile));
    const saved = await readYamlFile(path, behaviourSchema, { cwd: folder, env: {} });
    expect(saved).toEqual(DEFAULT_BEHAVIOUR);
  });
});
