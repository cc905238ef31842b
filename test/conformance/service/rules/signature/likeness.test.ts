import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../../../src/conformance/service/contract/messages.ts';
import { isSameRefusal } from '../../../../../src/conformance/service/rules/signature/likeness.ts';

const answer = (status: number, body: string): Answer => {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    json = undefined;
  }
  return { status, body, json } as Answer;
};

describe('two refusals', () => {
  it.each([
    ['{"code":40101,"id":"a1"}', '{"code":40101,"id":"b2"}'],
    [
      '{"error":{"message":"wrong signature at 2026-07-08T10:00:00Z"}}',
      '{"error":{"message":"Wrong signature at 2026-07-08T10:00:01Z"}}',
    ],
    ['request 7f3a9c2e41 refused', 'request 9921bc0d17 refused'],
    ['', ''],
  ])('are the same: %s and %s', (one, other) => {
    expect(isSameRefusal(answer(401, one), answer(401, other))).toBe(true);
  });

  it.each([
    ['{"code":40101}', '{"code":40102}'],
    ['{"errno":1,"errmsg":"sign"}', '{"errno":1,"errmsg":"field"}'],
    ['{"result":{"reason":"sign"}}', '{"result":{"reason":"field"}}'],
    ['<h1>signature</h1>', '<h1>field</h1>'],
  ])('differ: %s and %s', (one, other) => {
    expect(isSameRefusal(answer(401, one), answer(401, other))).toBe(false);
  });

  it('differ in their status', () => {
    expect(isSameRefusal(answer(401, ''), answer(400, ''))).toBe(false);
  });
});
