// Writes the published JSON Schemas of run documents and of the files that users write into schemas/.
//
//   npm run schemas        (builds first)

import { mkdirSync, writeFileSync } from 'node:fs';
import { describeSchemas } from '../build/app/files/file-schemas.js';

const folder = new URL('../schemas/', import.meta.url);
mkdirSync(folder, { recursive: true });
// A line a value shows what a change changes; indentation would be a third of the packed size.
for (const [name, schema] of Object.entries(describeSchemas())) {
  const text = JSON.stringify(schema, null, 1).replaceAll(/^ +/gm, '');
  writeFileSync(new URL(name, folder), `${text}\n`);
}
