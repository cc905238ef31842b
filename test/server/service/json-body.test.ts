import { describe, expect, it } from 'vitest';
import type { ErrorBody } from '../../../src/interface/index.ts';
import { startServer } from '../../../src/server/index.ts';
import {
  MAX_JSON_NESTING,
  NestingError,
  parseJsonBody,
} from '../../../src/server/service/json-body.ts';
import { Caller, control, frozen } from '../caller.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const parse = (text: string): unknown => parseJsonBody(Buffer.from(text));

it('a JSON body is UTF-8', () => {
  expect(parse('"天"')).toBe('天');
  expect(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22]))).toThrow(TypeError);
});

describe('the nesting of a JSON body', () => {
  it('is refused beyond the limit', () => {
    expect(parse(nested(MAX_JSON_NESTING))).toBeInstanceOf(Array);
    expect(() => parse(nested(MAX_JSON_NESTING + 1))).toThrow(NestingError);
    expect(() => parse('{"a":'.repeat(MAX_JSON_NESTING + 1))).toThrow(NestingError);
  });

  it('counts levels only, not values in a row or brackets in strings', () => {
    expect(parse(`[${Array(100).fill('[{}]').join()}]`)).toHaveLength(100);
    const text = `${'['.repeat(100)}\\"${'{'.repeat(100)}`;
    expect(parse(JSON.stringify({ text }))).toEqual({ text });
  });

  it('is refused at the token endpoint and by the control API', async () => {
    const server = await startServer({ controlPort: 0, clock: frozen });
    const caller = await Caller.fresh(server);
    const deep = nested(1_000);
    const token = await fetch(`${server.baseUrl}/v1/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.id}|${'0'.repeat(32)}` },
      body: `{"grant_type":"client_credentials","scope":${deep}}`,
    });
    const values: unknown = JSON.parse(deep);
    const moved = await control(server, 'POST', '/clock', { advanceSeconds: values });
    for (const { status, body } of [
      { status: token.status, body: (await token.json()) as ErrorBody },
      moved,
    ]) {
      expect([status, body.error]).toEqual([
        400,
        { code: 'body-invalid', message: 'The body is nested more than 32 levels deep.' },
      ]);
    }
    await server.close(0);
  });
});
