import { expect, it } from 'vitest';
import { changedTexts } from '../../../../src/conformance/client/rules/given-texts.ts';
import type { ParsedRequest } from '../../../../src/documents/parsed-request.ts';
import type { ScenarioFrame } from '../../../../src/documents/scenario.ts';

const frame = {
  environment: { FAREPROOF_FROM_NAME: 'Straße Ksfmpg + 1', FAREPROOF_IMEI: '012800000000009' },
} as unknown as ScenarioFrame;

const changed = (parameters: Record<string, string>) =>
  changedTexts({ estimate: { parameters } } as unknown as ParsedRequest, frame);

it.each([
  ['an imei read as a number', { imei: '12800000000009' }, /imei .* without its leading zeros/],
  ['a name whose + was read as a space', { from_name: 'Straße Ksfmpg   1' }, /from_name .* space/],
])('names the mistake of %s', (_, parameters, words) => {
  expect(changed(parameters).wrong.join()).toMatch(words);
});

it.each([
  ['the texts themselves', { from_name: 'Straße Ksfmpg + 1', imei: '012800000000009' }],
  ['texts of its own', { from_name: 'Gate 1', imei: '356938035643809' }],
  ['an empty imei', { imei: '' }],
  ['an imei with a space after it', { imei: '012800000000009 ' }],
])('says nothing of %s', (_, parameters) => {
  expect(changed(parameters)).toEqual({ wrong: [], changed: [] });
});
