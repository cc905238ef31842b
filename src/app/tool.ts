import { readFileSync } from 'node:fs';

const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** Name and version of this tool, as run documents carry them. */
export const TOOL: { readonly name: string; readonly version: string } = {
  name: 'fareproof',
  version: manifest.version,
};
