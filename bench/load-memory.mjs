// Memory of the generator over ten million requests:
//
//   npm run build && node bench/load-memory.mjs [--tiny] [--verbose]

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const figures = join(import.meta.dirname, 'load-figures.mjs');
execFileSync(process.execPath, [figures, '--only', 'memory', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
