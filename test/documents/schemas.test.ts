import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { describeSchemas } from '../../src/app/files/file-schemas.ts';
import type { JsonSchema } from '../../src/documents/json-schemas.ts';
import { ALL_SAMPLES } from '../report/samples/all-samples.ts';

const FOLDER = new URL('../../schemas/', import.meta.url);

function published(name: string): JsonSchema {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as JsonSchema;
}

function problemsWith(name: string, value: unknown): string[] {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, uri: true } });
  const validate = ajv.compile(published(name));
  validate(JSON.parse(JSON.stringify(value)));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('the published schemas match the code (else: npm run schemas)', () => {
  const schemas = describeSchemas();
  expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(schemas).sort());
  for (const [name, schema] of Object.entries(schemas)) expect(published(name)).toEqual(schema);
});

test.each(Object.entries(ALL_SAMPLES))('a document (%s) matches its schema', (_, sample) => {
  expect(problemsWith(`${sample.kind}.json`, sample)).toEqual([]);
});

test.each(Object.entries(ALL_SAMPLES))('a document (%s) cut short does not', (_, sample) => {
  const { tool: _tool, ...rest } = sample;
  expect(problemsWith(`${sample.kind}.json`, rest)).not.toEqual([]);
});

test('a profile matches its schema, a misspelled one does not', () => {
  const profile = { name: 'staging', baseUrl: 'https://rides.example.test', partners: [] };
  expect(problemsWith('target-profile.json', profile)).toEqual([]);
  expect(problemsWith('target-profile.json', { ...profile, partner: [] })).not.toEqual([]);
});

test('a behaviour file matches its schema, a misspelled one does not', () => {
  expect(problemsWith('behaviour.json', { 'day-boundary': 'rolling' })).toEqual([]);
  expect(problemsWith('behaviour.json', { 'day-boundary': 'lunar' })).not.toEqual([]);
});

test.each([
  ['suite', { name: 'release', rules: { include: ['token/*'] } }, { name: 'a', rule: [] }],
  [
    'load-suite',
    { name: 'a', load: { rate: 5, duration: '5s' } },
    { name: 'a', load: { rates: 5 } },
  ],
  [
    'waivers',
    [{ rule: 'token/*', reason: 'known', until: '2027-01-31' }],
    [{ rule: 'token/*', reason: 'known' }],
  ],
  [
    'scenario',
    {
      name: 'slow',
      description: 'A late answer.',
      mode: 'user',
      estimates: 3,
      intervalMs: 100,
      atLeast: 2,
      judges: ['client/*'],
      stimuli: [{ on: 'estimate', nth: 2, do: { delayMs: 800 } }],
    },
    { name: 'slow', stimuli: [{ on: 'estimate', nth: 2, do: { delay: 800 } }] },
  ],
  [
    'routes',
    [
      {
        start_lat: '1',
        start_lng: '2',
        from_name: 'a',
        end_lat: '3',
        end_lng: '4',
        to_name: 'b',
        imei: '1',
      },
    ],
    [{ start_lat: '1' }],
  ],
])('a file of a user (%s) matches its schema, a wrong one does not', (name, right, wrong) => {
  expect(problemsWith(`${name}.json`, right)).toEqual([]);
  expect(problemsWith(`${name}.json`, wrong)).not.toEqual([]);
});

test('each schema has an id of its own', () => {
  const ids = readdirSync(FOLDER).map((name) => published(name)['$id']);
  expect(ids).toEqual(
    readdirSync(FOLDER).map((name) => `urn:fareproof:schema:${name.replace('.json', '')}`),
  );
});

test('the output of selfcheck matches its schema, cut short it does not', () => {
  const { schemaVersion, tool, startedAt, finishedAt } = ALL_SAMPLES['load']!;
  const document = {
    schemaVersion,
    tool,
    startedAt,
    finishedAt,
    kind: 'selfcheck',
    seed: 1,
    verdict: 'proven',
    summary: { killed: 0, survived: 0, falselyAccused: 0 },
    sound: [{ side: 'service', red: [], undecided: [] }],
    rules: [],
  };
  expect(problemsWith('selfcheck.json', document)).toEqual([]);
  expect(problemsWith('selfcheck.json', { ...document, sound: undefined })).not.toEqual([]);
});
