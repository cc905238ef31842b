import { expect, it } from 'vitest';
import { redactSample } from '../../../src/load/record/fault-sample.ts';
import { Redactor } from '../../../src/redaction/index.ts';

const redacted = (body: string, ...secrets: string[]): string => {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add('header', secret);
  return redactSample({ fault: 'answer-shape', problem: 'p', body }, redactor).body;
};

it.each([
  ['as it is', 'key "k\u00fc"/1'],
  ['escaped as JSON', 'key \\"k\u00fc\\"/1'],
  ['escaped as a URL', 'key%20%22k%C3%BC%22%2F1'],
])('replaces a known secret %s', (_, spelling) => {
  expect(redacted(`<p>${spelling}</p>`, 'key "k\u00fc"/1')).toBe('<p>[header 1]</p>');
});

it('replaces whatever may be a token, and keeps words, numbers and documented fields', () => {
  const body =
    '[{"distance_in_meter":"8000","jump_url":"app://jump","estimate_id":"Zm9vYmFyYmF6cXV4"}]';
  expect(redacted(body, 'abc')).toBe(body.replace('Zm9vYmFyYmF6cXV4', '[token 1]'));
  expect(redacted('We are down until 10:30, sorry.')).toBe('We are down until 10:30, sorry.');
  expect(redacted('0123456789abcdef0123456789abcdef')).toBe('[token 1]');
});

it('keeps the code and the rule of an error', () => {
  const body =
    '{"error":{"code":"partner-unknown","message":"No partner has this id.","rule":"token/partner-unknown"}}';
  expect(redacted(body)).toBe(body);
});

it('shows the beginning of a long body', () => {
  expect(redacted('ab '.repeat(1000))).toHaveLength(1002);
});
