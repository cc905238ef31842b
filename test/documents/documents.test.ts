import { describe, expect, test } from 'vitest';
import { parseDocument, type RunDocument } from '../../src/documents/run-document.ts';
import { ConfigurationError } from '../../src/interface/index.ts';
import { ALL_SAMPLES } from '../report/samples/all-samples.ts';
import { serviceSample } from '../report/samples/conformance-sample.ts';
import { loadSample } from '../report/samples/load-sample.ts';

function failureOf(json: unknown): ConfigurationError {
  try {
    parseDocument(json);
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  throw new Error('it was read');
}

const stored = (document: RunDocument): Record<string, unknown> =>
  JSON.parse(JSON.stringify(document)) as Record<string, unknown>;

describe('a run document', () => {
  test.each(Object.entries(ALL_SAMPLES))('of kind %s is read unchanged', (_, sample) => {
    expect(parseDocument(stored(sample))).toEqual(stored(sample));
  });

  test('may have unknown fields, at any depth', () => {
    const json = { ...stored(serviceSample()), later: true };
    const [first, ...rules] = serviceSample().rules;
    const read = parseDocument({ ...json, rules: [{ ...first, later: [1] }, ...rules] });
    expect(read).toHaveProperty('later', true);
    expect(read).toHaveProperty(['rules', 0, 'later'], [1]);
  });

  test.each([
    'schemaVersion',
    'tool',
    'side',
    'verdict',
    'startedAt',
    'summary',
    'rules',
    'exchanges',
    'spend',
  ])('without %s is refused, and the field is named', (field) => {
    const { [field]: _left, ...json } = stored(serviceSample());
    expect(failureOf(json)).toMatchObject({ code: 'DOCUMENT_INVALID' });
    expect(failureOf(json).message).toContain(`${field}: is missing`);
  });

  test('with a wrong verdict deep inside is refused, and its path is named', () => {
    const json = stored(serviceSample());
    (json['rules'] as { verdict: string }[])[3]!.verdict = 'green';
    expect(failureOf(json).message).toContain('rules.3.verdict');
  });

  test.each([0, -1, 1.5, '1', null])(
    'of version %j, which there never was, is refused',
    (version) => {
      const failure = failureOf({ ...stored(loadSample(2)), schemaVersion: version });
      expect(failure.code).toBe('DOCUMENT_INVALID');
      expect(failure.message).toContain('schemaVersion');
    },
  );

  test('of a newer version is refused with both versions and what to do', () => {
    const failure = failureOf({ ...stored(loadSample(2)), schemaVersion: 2 });
    expect(failure.code).toBe('DOCUMENT_VERSION_NEWER');
    expect(failure.message).toMatch(/schemaVersion 2.*up to 1.*Update fareproof/s);
  });

  test('of an unknown kind is refused, and the known kinds are named', () => {
    const failure = failureOf({ ...stored(loadSample(2)), kind: 'constructor' });
    expect(failure.code).toBe('DOCUMENT_KIND_UNKNOWN');
    expect(failure.message).toContain('conformance, load');
  });

  test.each([null, 'text', 7, [], {}, { kind: 3 }])('is not %j', (json) => {
    expect(failureOf(json).code).toBe('DOCUMENT_INVALID');
  });
});
