// Writes the published JSON Schemas of run documents, profile and behaviour file into schemas/.
//
//   npm run schemas        (builds first)

import { mkdirSync, writeFileSync } from 'node:fs';
import { describeJsonSchemas } from '../dist/documents/json-schemas.js';

const folder = new URL('../schemas/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(describeJsonSchemas())) {
  writeFileSync(new URL(name, folder), `${JSON.stringify(schema, null, 2)}\n`);
}
