// Writes the published JSON Schemas of run documents and of the files that users write into schemas/.
//
//   npm run schemas        (builds first)

import { mkdirSync, writeFileSync } from 'node:fs';
import { describeSchemas } from '../build/cli/files/file-schemas.js';

const folder = new URL('../schemas/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(describeSchemas())) {
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`);
}
