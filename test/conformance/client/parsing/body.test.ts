import { expect, it } from 'vitest';
import { parseBody } from '../../../../src/conformance/client/parsing/body.ts';

it('parses a body as JSON, as a form, or not at all', () => {
  expect(parseBody(Buffer.from('{"a":1}'))).toEqual({ body: 'json', fields: { a: 1 } });
  expect(parseBody(Buffer.from('a=1&b=%20'))).toEqual({ body: 'form', fields: { a: '1', b: ' ' } });
  for (const text of ['', '[1]', 'null', '{"a":', 'words']) {
    expect(parseBody(Buffer.from(text)).body).toBe('other');
  }
});
