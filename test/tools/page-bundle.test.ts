import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundlePage } from '../../tools/build-page.mjs';

test('the scripts and styles of the pages are those of the sources (else: npm run build)', async () => {
  const written = new URL('../../src/report/page-assets.ts', import.meta.url);
  expect(readFileSync(written, 'utf8')).toBe(await bundlePage());
});
