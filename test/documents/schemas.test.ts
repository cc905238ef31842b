import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { describeJsonSchemas, type JsonSchema } from '../../src/documents/json-schemas.ts';
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
  const schemas = describeJsonSchemas();
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
